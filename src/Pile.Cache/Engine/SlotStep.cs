// What one attempt to store a durable entry in files came to, when room was at hand.
// A mutable local of the caller's, so that the way there returns one register.
namespace Pile.Cache.Engine;

/// <summary>Outcome of an attempt.</summary>
internal struct SlotStep
{
    /// <summary>Ok; Conflict when the entry was another one than was seen: start again; or why there is none.</summary>
    internal PileStatus Status;

    /// <summary>What became of the entry, when Ok.</summary>
    internal PileSetOutcome Outcome;

    /// <summary>The version of the entry, where it is stored.</summary>
    internal PileEntryVersion Version;

    /// <summary>Whether anything that was appended may be seen: from then on slots and pages are not given back, whatever is thrown.</summary>
    internal bool IsPublished;

    /// <summary>Whether a flush must cover the object that the entry is to lead to before it may replace another entry.</summary>
    internal bool NeedsFlush;

    /// <summary>The object that the replaced entry shared; 0 for none.</summary>
    internal ulong Orphan;

    /// <summary>A mark that was stored and is not needed; 0 for none.</summary>
    internal ulong Surplus;

    /// <summary>Whether it is time to look whether the index is to grow.</summary>
    internal bool IsCrowded;
}
