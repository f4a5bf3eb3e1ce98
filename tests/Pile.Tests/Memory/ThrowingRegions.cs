using System;
using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>Memory whose calls throw, where the test wants it so, as a process out of managed memory does anywhere.</summary>
internal sealed class ThrowingRegions : RegionProvider
{
    private int _calls;

    /// <summary>The call that throws, of those of this thread alone; 0 for none.</summary>
    internal int ThrowsAt { get; set; }

    /// <summary>Whose calls throw.</summary>
    internal int ThreadId { get; set; }

    /// <summary>Lets a call of the caller's thread throw, counted from here.</summary>
    internal void Arm(int throwsAt) => (_calls, ThrowsAt, ThreadId) = (0, throwsAt, Environment.CurrentManagedThreadId);

    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

    internal override void Unmap(in Region region) => Default.Unmap(region);

    internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);

    internal override bool TryAllocate(in Region region, long offset, long bytes, bool isForCleaner = false)
    {
        if (ThrowsAt > 0 && Environment.CurrentManagedThreadId == ThreadId && ++_calls == ThrowsAt)
        {
            throw new InsufficientMemoryException("the test wants it so");
        }

        return true;
    }
}
