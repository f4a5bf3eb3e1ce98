// Whose an extended record is: a cache's, or an object that a program put.
// The kinds are ExtendedKind.
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Questions about kinds.</summary>
internal static class ExtendedKinds
{
    /// <summary>Whether a payload that begins with a word is a cache's.</summary>
    internal static bool IsOfCache(ulong first) => (ExtendedKind)(byte)first is ExtendedKind.CacheEntry or ExtendedKind.CacheValue or ExtendedKind.CacheMark;

    /// <summary>Whether a record of a pile in files is a cache's: an entry of a durable table, a large value that an entry owns, or the mark of
    /// an object that entries share. No pointer to it was ever given out.</summary>
    /// <param name="space">Flat space.</param>
    /// <param name="headerBytes">Bytes before a record's payload.</param>
    /// <param name="location">Where the record stands, which is good.</param>
    /// <param name="payload">Code and length, of its word 0.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static bool IsOfCache(FlatSpace space, int headerBytes, long location, uint payload)
    {
        if (RecordWord.Code(payload) == RecordCode.Large)
        {
            LargeDescriptor run = LargeDescriptor.Read(space.Bytes(location, headerBytes, LargeDescriptor.Bytes));
            return run.Code == RecordCode.Extended && run.PayloadBytes >= Limits.WordBytes && IsOfCache(space.ReadWord(run.RunLocation));
        }

        return RecordWord.Code(payload) == RecordCode.Extended && RecordWord.PayloadBytes(payload) >= Limits.WordBytes
            && IsOfCache(space.ReadWord(location + (headerBytes / Limits.WordBytes)));
    }
}
