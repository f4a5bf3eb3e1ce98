// What takes away many entries at once: Clear, and removals by tag. One at a time, counted before and behind, so that who looks at an entry
// knows whether one may have taken it, or must have.
using System;
using System.Threading;

namespace Pile.Cache.Tests.Model;

/// <summary>Clears and removals by tag. Thread-safe.</summary>
internal sealed class StressClears
{
    internal const int Tags = 4;

    /// <summary>The place of Clear, behind those of tags.</summary>
    internal const int All = Tags;

    private readonly long[] _begun = new long[Tags + 1];
    private readonly long[] _done = new long[Tags + 1];

    /// <summary>Clears; held by its caller alone.</summary>
    internal void Do(int which, Action clear)
    {
        long number = Interlocked.Increment(ref _begun[which]);
        clear();
        _ = Interlocked.Exchange(ref _done[which], number);
    }

    /// <summary>Before an entry is stored.</summary>
    internal Mark Before(int tag) => new(Volatile.Read(ref _done[All]), tag < 0 ? 0 : Volatile.Read(ref _done[tag]));

    /// <summary>Behind it.</summary>
    internal Mark Behind(int tag) => new(Volatile.Read(ref _begun[All]), tag < 0 ? 0 : Volatile.Read(ref _begun[tag]));

    /// <summary>Whether one may have taken an entry.</summary>
    internal bool MayHave(Mark before, int tag) => Volatile.Read(ref _begun[All]) > before.OfAll || (tag >= 0 && Volatile.Read(ref _begun[tag]) > before.OfTag);

    /// <summary>Whether one has.</summary>
    internal bool Have(Mark behind, int tag) => Volatile.Read(ref _done[All]) > behind.OfAll || (tag >= 0 && Volatile.Read(ref _done[tag]) > behind.OfTag);

    /// <summary>A moment.</summary>
    internal readonly record struct Mark(long OfAll, long OfTag);
}
