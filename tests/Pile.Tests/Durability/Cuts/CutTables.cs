using System;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Tables of several opens of the same image, held against each other.</summary>
internal static class CutTables
{
    /// <summary>Opens the same image a second time: the table must be the same, entry by entry. One that was begun with a checkpoint
    /// is held against a crawl of everything; there it may lead to another copy of a record.</summary>
    /// <returns>Whether a checkpoint was used.</returns>
    internal static bool RequireSame(ObjectPile pile, SimulatedFiles? twin)
    {
        if (twin is null)
        {
            return false;
        }

        bool isFromCheckpoint = pile.RecoveryReport().CheckpointFlush >= 0;
        foreach (string name in isFromCheckpoint ? twin.List(CutLife.Directory).Where(static name => name.StartsWith("checkpoint", StringComparison.Ordinal)) : [])
        {
            twin.Delete($"{CutLife.Directory}/{name}");
        }

        using ObjectPile second = CutLife.Open(twin);
        pile.Core.WaitCounted();
        second.Core.WaitCounted();
        uint highWater = pile.Core.Slots.HighWater;
        ModelMismatchException.Unless(second.RecoveryReport().CheckpointFlush < 0 || !isFromCheckpoint, "twin", "a checkpoint that is not there was used");
        ModelMismatchException.Unless(second.Core.Slots.HighWater == highWater, "twin", $"{highWater} slots, and {second.Core.Slots.HighWater} at the second open");
        for (uint slot = Limits.FirstSlot; slot < highWater; slot++)
        {
            (ulong one, ulong other) = (pile.Core.Table.Read(slot), second.Core.Table.Read(slot));
            bool isSame = one == other || (isFromCheckpoint && EntryWord.Moved(one, 0) == EntryWord.Moved(other, 0) && RecordOf(pile, one) == RecordOf(second, other));
            ModelMismatchException.Unless(isSame, "twin", $"slot {slot} has entry 0x{one:X16}, at the second open 0x{other:X16}");
        }

        return isFromCheckpoint;
    }

    /// <summary>Crawls once more what an open has left: the table must be the same; where the first one was believed, it may lead to
    /// another copy of a record.</summary>
    internal static void RequireSameAgain(ObjectPile pile, SimulatedFiles files)
    {
        bool wasCrawled = pile.RecoveryReport() is { Opening: PileOpening.Crawled, CheckpointFlush: < 0 };
        using SimulatedFiles again = files.Fork();
        foreach (string name in again.List(CutLife.Directory).Where(static name => name.StartsWith("table", StringComparison.Ordinal)))
        {
            again.Delete($"{CutLife.Directory}/{name}");
        }

        using ObjectPile crawled = CutLife.Open(again);
        pile.Core.WaitCounted();
        crawled.Core.WaitCounted();
        ModelMismatchException.Unless(crawled.RecoveryReport().Opening == PileOpening.Crawled, "table", $"it was {crawled.RecoveryReport().Opening}");
        for (uint slot = Limits.FirstSlot; slot < uint.Max(pile.Core.Slots.HighWater, crawled.Core.Slots.HighWater); slot++)
        {
            ulong first = slot < pile.Core.Slots.HighWater ? pile.Core.Table.Read(slot) : 0;
            ulong second = slot < crawled.Core.Slots.HighWater ? crawled.Core.Table.Read(slot) : 0;

            // A slot that the log says nothing about any more was never issued, or only by a recovery before: it begins as a new one.
            if (slot >= crawled.Core.Slots.HighWater && EntryWord.Location(first) == 0)
            {
                continue;
            }

            // A free entry may only have been raised further above what was issued.
            bool isFree = !EntryWord.IsLive(first) && !EntryWord.IsInternal(first) && !EntryWord.IsLive(second) && !EntryWord.IsInternal(second);
            bool isRecord = wasCrawled ? EntryWord.Location(first) == EntryWord.Location(second) : RecordOf(pile, first) == RecordOf(crawled, second);
            bool isSame = first == second || (isRecord && isFree ? NextOf(crawled, second) >= NextOf(pile, first) : isRecord && !wasCrawled);
            ModelMismatchException.Unless(isSame, "table", $"slot {slot} has entry 0x{first:X16}, crawled again 0x{second:X16}");
        }
    }

    private static (ulong, ulong) RecordOf(ObjectPile pile, ulong entry)
    {
        long location = EntryWord.Location(entry);
        FlatSpace space = pile.Core.Directory.Space;
        return location == 0 ? default : (space.ReadWord(location), space.ReadWord(location + 1));
    }

    /// <summary>The generation that a free slot's next object has.</summary>
    private static ulong NextOf(ObjectPile pile, ulong entry) => ulong.Max(EntryWord.NextGeneration(entry), pile.Core.FirstGeneration);
}
