// An object of the pile in a run with shared objects, and what is known of whose it is.
// Its content begins with its number.
namespace Pile.Cache.Tests.Model;

internal sealed class SharedThing(int id, PilePointer pointer)
{
    internal int Id { get; } = id;

    internal PilePointer Pointer { get; } = pointer;

    /// <summary>Whether an entry has led to it: then it goes with the last one.</summary>
    internal bool IsGiven { get; set; }

    /// <summary>Whether that was so at the last flush.</summary>
    internal bool WasGiven { get; set; }

    /// <summary>Whether a flush has covered the object itself.</summary>
    internal bool IsFlushed { get; set; }

    /// <summary>How often its content was changed.</summary>
    internal int Version { get; set; }

    /// <summary>How often until the last flush.</summary>
    internal int FlushedVersion { get; set; }

    /// <summary>What it was at a moment.</summary>
    internal SharedThing At() => (SharedThing)MemberwiseClone();
}
