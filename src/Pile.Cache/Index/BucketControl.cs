// The last word of a bucket, low to high: lock 1 | version 31 | next bucket 32. Lock and version of a chain are those of its first
// bucket. The version counts the times that cells were moved: a reader that found nothing believes it only if the word was unlocked
// and the same before and after it looked.
using System.Runtime.CompilerServices;

namespace Pile.Cache.Index;

/// <summary>Packing and reading of a bucket's control word.</summary>
internal static class BucketControl
{
    internal const ulong LockBit = 1;
    private const ulong VersionStep = 2;
    private const ulong LowMask = uint.MaxValue;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsLocked(ulong control) => (control & LockBit) != 0;

    /// <summary>The next bucket of the chain; 0 at its end.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Next(ulong control) => (uint)(control >> 32);

    internal static ulong WithNext(ulong control, uint next) => (control & LowMask) | ((ulong)next << 32);

    /// <summary>Unlocked, and of the next version if cells were moved.</summary>
    internal static ulong Unlocked(ulong control, bool hasMoved)
    {
        ulong low = (control & LowMask & ~LockBit) + (hasMoved ? VersionStep : 0);
        return (control & ~LowMask) | (low & LowMask);
    }
}
