// What a Set asks under the chain's lock before it takes effect: its own condition, and the table's own limits.
// It changes nothing.
using System.Runtime.CompilerServices;
using Pile.Cache.Index;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Conditions of writes to one table. With the lock of the key's chain, inside an epoch.</summary>
internal sealed class TableConditions<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    /// <summary>Whether the entry at a location has ended: then it counts as absent, whoever has yet to remove it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool HasEndedAt(long location)
    {
        ulong a = table.Lookup.HeadA(location);
        return !KeyedHead.IsPlain(a) && table.Reads.HasEnded(location, a, table.Clock.Now);
    }

    /// <summary>What a Set did to the key whose entry at a location it took the place of. What its condition has found holds: the entry may have
    /// ended since.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileSetOutcome OutcomeOver(long location, SetCondition condition)
    {
        bool wasGood = condition is SetCondition.Present or SetCondition.Version || (condition != SetCondition.Absent && !HasEndedAt(location));
        return wasGood ? PileSetOutcome.Replaced : PileSetOutcome.Inserted;
    }

    /// <summary>Whether the table's own limits have room, or will have it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool HasOwnRoom(long bytes, bool isThere, ulong former)
    {
        if (!table.Evictor.CouldHold(bytes))
        {
            return false;
        }

        if (!isThere)
        {
            return table.Evictor.HasRoom(1, bytes, (int)PileCachePriority.NeverRemove);
        }

        long location = CellWord.Location(former);
        ulong a = table.Lookup.HeadA(location);
        return table.Evictor.HasRoom(0, bytes - table.Reads.RecordBytesAt(location) - table.Reads.LinkAt(location, a).Bytes, KeyedHead.Priority(a));
    }

    /// <summary>Whether the condition of a Set holds.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool IsMet(SetCondition condition, PileEntryVersion expected, bool isThere, ulong cell)
    {
        long location = CellWord.Location(cell);
        bool isGood = isThere && !HasEndedAt(location);
        return condition switch
        {
            SetCondition.Absent => !isGood,
            SetCondition.Present => isGood,
            SetCondition.Unchanged => !isGood || HasVersion(location, expected),
            SetCondition.Kept => isThere && HasVersion(location, expected),
            _ => isGood && HasVersion(location, expected),
        };
    }

    private bool HasVersion(long location, PileEntryVersion expected) => table.Reads.VersionOf(location, table.Lookup.HeadA(location)) == expected;
}
