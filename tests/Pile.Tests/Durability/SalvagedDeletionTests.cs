using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Durability.Cuts;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Salvages of what power cuts left, whose table may be older than what became of the segments: its entries lead into some that were freed, and what was
/// deleted since stands there whole. The tombstones, which stay as long as their slots are free, keep it from being back.</summary>
public sealed class SalvagedDeletionTests
{
    private const int Rounds = 30;
    private const int CutsOfARound = 6;
    private const int ObjectsAtFirst = 3000;
    private const int PutsOfARound = 20;
    private const int DeletionsOfARound = 100;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void WhatWasDeletedIsNotBackFromASegmentThatWasFreed(int seed)
    {
        var random = new Random(seed);
        using var files = new SimulatedFiles();
        using ObjectPile pile = CutLife.Open(files);
        List<PilePointer> gone = [];
        List<PilePointer> there = [.. Enumerable.Range(0, ObjectsAtFirst).Select(_ => pile.PutBytes(new byte[100]))];
        int readAgain = 0;
        for (int round = 0; round < Rounds; round++)
        {
            there.AddRange(Enumerable.Range(0, PutsOfARound).Select(_ => pile.PutBytes(new byte[100])));
            pile.Commit();
            files.Snapshot();
            for (int count = 0; count < DeletionsOfARound; count++)
            {
                int index = random.Next(there.Count);
                Assert.True(pile.Delete(there[index]));
                gone.Add(there[index]);
                there.RemoveAt(index);
            }

            pile.Commit();
            files.Snapshot();
            Clean(pile);
            for (int cut = 0; cut < CutsOfARound; cut++)
            {
                using SimulatedFiles image = files.PowerCut(random);
                using ObjectPile salvaged = ObjectPile.Open(CutLife.Directory, CutLife.Options(image) with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true, BuildsTable = true });
                Assert.All(there, pointer => Assert.True(salvaged.TryGet(pointer, out byte[]? _)));
                Assert.DoesNotContain(gone, pointer => salvaged.TryGet(pointer, out byte[]? _));
                readAgain += salvaged.RecoveryReport().Damages.Count(static damage => damage.What.Contains("may be older", StringComparison.Ordinal));
            }
        }

        Assert.True(readAgain > 0, "no table led into a segment that was freed");
    }

    private static void Clean(ObjectPile pile)
    {
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        for (int pass = 0; pass < 3; pass++)
        {
            core.Cleaner.EnterRole();
            _ = core.Cleaner.Pass(wantedSegments: 8, utilisationMax: 0.98, waitMs: 0);
            core.Cleaner.ExitRole();
            pile.Commit();
        }
    }
}
