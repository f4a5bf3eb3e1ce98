// Checks the order in which a thread takes the locks of LockRank: two threads that take two locks in different orders
// may wait for each other for ever. On in Debug and in the test build, gone from the shipped one.
using System;
using System.Diagnostics;

namespace Pile.Primitives;

/// <summary>The ranks that the calling thread holds.</summary>
internal static class LockOrder
{
    private const int CountBits = 12;

    /// <summary>How many locks of each rank, 12 bits a rank, the lowest rank lowest.</summary>
    [ThreadStatic]
    private static ulong _held;

    /// <summary>Notes a lock that is being taken: none of a higher rank may be held. Several of one rank may, as all writers are.</summary>
    [Conditional("DEBUG")]
    [Conditional("PILE_CHECKS")]
    internal static void Enter(LockRank rank)
    {
        ulong locksOfHigherRank = _held >> (CountBits * ((int)rank + 1));
        Check.That(locksOfHigherRank == 0);
        _held += 1UL << (CountBits * (int)rank);
    }

    /// <summary>Notes that a lock was given back.</summary>
    [Conditional("DEBUG")]
    [Conditional("PILE_CHECKS")]
    internal static void Exit(LockRank rank)
    {
        ulong locksOfThisRank = (_held >> (CountBits * (int)rank)) & ((1UL << CountBits) - 1);
        Check.That(locksOfThisRank > 0);
        _held -= 1UL << (CountBits * (int)rank);
    }
}
