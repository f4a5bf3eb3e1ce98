// The condition under which a value is stored.
// Where it does not hold nothing is changed.
namespace Pile.Tool.Entries;

/// <summary>When to store.</summary>
internal enum SetWhen
{
    /// <summary>In any case.</summary>
    Always,

    /// <summary>Only where there is no entry.</summary>
    Absent,

    /// <summary>Only where there is one.</summary>
    Present,
}
