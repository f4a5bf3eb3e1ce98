// What a Set did, and what it cost others.
// A value: nothing is allocated for it.
namespace Pile.Cache;

/// <summary>Result of storing an entry.</summary>
/// <param name="Outcome">What became of it.</param>
/// <param name="Evicted">Entries that were evicted while the call made room: this call's and, where several threads make room at once,
/// some of theirs.</param>
public readonly record struct PileSetResult(PileSetOutcome Outcome, int Evicted)
{
    /// <summary>The version of the entry that was stored, for <see cref="PileTableChanges.TrySet"/> and to know its events; default where none was.</summary>
    public PileEntryVersion Version { get; init; }

    /// <summary>Whether the entry is stored.</summary>
    public bool IsStored => Outcome is PileSetOutcome.Inserted or PileSetOutcome.Replaced;
}
