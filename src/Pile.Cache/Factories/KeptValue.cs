// An entry of a key as GetOrAdd found it, with its value.
// A copy: the entry may be another one by now.
using Pile.Cache.Entries;

namespace Pile.Cache.Factories;

/// <summary>What stands under a key; default for nothing.</summary>
/// <param name="Entry">Facts about it.</param>
/// <param name="Value">Its value, where it is one.</param>
/// <param name="Failure">How the factory failed, where that is remembered.</param>
/// <param name="IsUnreadable">Whether it is a value that can't be read, and counts for none: what the factory makes takes its place.</param>
internal readonly record struct KeptValue<TValue>(KeptEntry Entry, TValue? Value, string? Failure, bool IsUnreadable = false)
    where TValue : notnull
{
    /// <summary>Whether there is a value.</summary>
    internal bool HasValue => IsThere && Entry.Kind == NoteKind.Value;

    /// <summary>Whether there is a value that has ended and is kept.</summary>
    internal bool IsStale => HasValue && !Entry.IsShown;

    /// <summary>Whether there is an answer: a value that has not ended, or what is remembered in place of one.</summary>
    internal bool IsAnswer => IsThere && !IsStale;

    private bool IsThere => Entry.Version != default && !IsUnreadable;
}
