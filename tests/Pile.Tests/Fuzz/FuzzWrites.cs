using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Tests.Fuzz;

/// <summary>Writes into a pile that was opened from changed files, and looks after it.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal static class FuzzWrites
{
    private const int FirstId = 1_000_000;
    private const int Puts = 30;

    /// <summary>Puts, updates, deletes, batches, compacts, commits and scrubs.</summary>
    internal static void Run(ObjectPile pile, FuzzLook look, Random choices, List<PilePointer> put)
    {
        for (int id = 0; id < Puts; id++)
        {
            byte[] content = Content.Make(FirstId + id, 1, Content.HeaderBytes + choices.Next(choices.Next(20) == 0 ? 40_000 : 300));
            if (!look.Attempt("put", () => put.Add(pile.PutBytes(content)), isCall: true))
            {
                break;
            }
        }

        Require(pile, look, put);
        List<PilePointer> listed = [];
        _ = look.Attempt("list", () =>
        {
            foreach (PileItem item in pile.Enumerate())
            {
                listed.Add(item.Pointer);
                if (listed.Count > 2000)
                {
                    break;
                }
            }
        }, isCall: true);
        foreach (PilePointer pointer in listed.Except(put).Where(_ => choices.Next(6) == 0))
        {
            bool isDeleted = choices.Next(2) == 0;
            _ = look.Attempt("change", () => _ = isDeleted ? pile.Delete(pointer) : pile.TryUpdate(pointer, new byte[choices.Next(300)]) == PileStatus.Ok, isCall: true);
        }

        Batch(pile, look);
        _ = look.Attempt("root", () => pile.Roots.Set("another", put.Count > 0 ? put[0] : default), isCall: true);
        _ = look.Attempt("compact", () => pile.Compact(), isCall: true);
        _ = look.Attempt("commit", pile.Commit, isCall: true);
        if (choices.Next(8) == 0)
        {
            _ = look.Attempt("checkpoint", () => pile.Durable!.Checkpoints.TryTake(default));
        }

        _ = look.Attempt("scrub", () => pile.Scrub(), isCall: true);
        _ = look.Attempt("verify", () => pile.Verify(), isCall: true);
        if (choices.Next(12) == 0 && look.Attempt("clear", pile.Clear))
        {
            put.Clear();
        }
        else
        {
            Require(pile, look, put);
        }
    }

    /// <summary>What was put is there; a file whose checksums were made to fit may claim its place.</summary>
    internal static void Require(ObjectPile pile, FuzzLook look, List<PilePointer> put)
    {
        for (int id = 0; id < put.Count && !look.IsSealed; id++)
        {
            PilePointer pointer = put[id];
            if (!pile.TryLease(pointer, out PileLease lease, out PileStatus status))
            {
                throw new FuzzFoundException($"{pointer} was put and is answered {status}; {pile.RecoveryReport().Opening}, {pile.RecoveryReport().Reason}");
            }

            bool isWhole = Content.IsWhole(lease.Bytes, out long key, out _) && key == FirstId + id;
            lease.Dispose();
            if (!isWhole)
            {
                throw new FuzzFoundException($"{pointer} was put and has another value");
            }
        }
    }

    private static void Batch(ObjectPile pile, FuzzLook look) => _ = look.Attempt("batch", () =>
    {
        using PileBatch batch = pile.BeginBatch();
        for (int index = 0; index < 5; index++)
        {
            _ = batch.Put(new byte[100 * index]);
        }

        batch.Commit();
    }, isCall: true);
}
