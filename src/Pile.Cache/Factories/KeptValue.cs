// An entry of a key as GetOrAdd found it, with its value.
// A copy: the entry may be another one by now.
using Pile.Cache.Entries;

namespace Pile.Cache.Factories;

/// <summary>What stands under a key; default for nothing.</summary>
/// <param name="Entry">Facts about it.</param>
/// <param name="Value">Its value, where it is one.</param>
/// <param name="Failure">How the factory failed, where that is remembered.</param>
internal readonly record struct KeptValue<TValue>(KeptEntry Entry, TValue? Value, string? Failure)
    where TValue : notnull
{
    /// <summary>Whether there is an entry.</summary>
    internal bool IsThere => Entry.Version != default;

    /// <summary>Whether there is a value that has ended and is kept.</summary>
    internal bool IsStale => IsThere && Entry.Kind == NoteKind.Value && !Entry.IsShown;
}
