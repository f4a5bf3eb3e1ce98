// An object whose content was read and that is filled last: a hash container, whose keys' hash codes may read fields that
// are not there yet, or an object that builds itself from names and values.
// It is filled on demand, after everything that its keys refer to.
namespace Pile.Codecs;

/// <summary>Content that waits for its object.</summary>
internal sealed class Pending(Plan plan, object target, int offset, object? content, int[] dependencies, int comparers = 0)
{
    /// <summary>The plan that fills the object.</summary>
    internal Plan Plan { get; } = plan;

    /// <summary>The object.</summary>
    internal object Target { get; } = target;

    /// <summary>Where the object begins in the payload.</summary>
    internal int Offset { get; } = offset;

    /// <summary>What was read, in the plan's own form.</summary>
    internal object? Content { get; } = content;

    /// <summary>Where the values begin on which filling depends.</summary>
    internal int[] Dependencies { get; } = dependencies;

    /// <summary>How many of them, the first ones, are comparers, which may look into other objects.</summary>
    internal int Comparers { get; } = comparers;

    /// <summary>Whether it was begun.</summary>
    internal bool IsBegun { get; set; }

    /// <summary>Whether it is filled.</summary>
    internal bool IsDone { get; set; }

    /// <summary>Whether it is being filled: what leads to it can't be whole yet.</summary>
    internal bool IsOpen => IsBegun && !IsDone;
}
