// What a step of a cache's life changes: one thing, or many whole or not at all.
// It says what a kill or a cut within the step may leave.
namespace Pile.Cache.Tests.Model;

/// <summary>What a step changes. What empties is durable when it has returned.</summary>
internal enum LifeStep
{
    /// <summary>One thing, or several each by itself.</summary>
    Single,

    /// <summary>Several, all or none of them.</summary>
    Whole,

    /// <summary>All of the durable table, or nothing.</summary>
    Emptying,

    /// <summary>All of the pile, or nothing.</summary>
    EmptyingAll,
}
