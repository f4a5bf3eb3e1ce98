using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>A PowerSafe pile whose segments are longer than what is filled at once (decision 49): whatever is stored, nothing is filled over it.</summary>
public sealed class FilledPileTests
{
    private const int SegmentBytes = 4 * FileLimits.FillBytes;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void NothingIsFilledOverWhatWasStored(int seed)
    {
        using var files = new SimulatedFiles();
        var random = new Random(seed);
        Dictionary<PilePointer, byte[]> there = [];
        for (int life = 0; life < 3; life++)
        {
            using ObjectPile pile = Open(files);
            AssertThere(pile, there);
            for (int step = 0; step < 300; step++)
            {
                Step(pile, random, there);
            }

            AssertThere(pile, there);
        }
    }

    [Fact]
    public void WhatAFullPileDeletesStaysDeletedAndTheRestIsThere()
    {
        using var files = new SimulatedFiles();
        Dictionary<PilePointer, byte[]> there = [];
        List<PilePointer> gone = [];
        using (ObjectPile pile = Open(files, limitBytes: 4 << 20))
        {
            var random = new Random(4);
            byte[] bytes = Content(random, 2_000);
            while (pile.TryPutBytes(bytes, out PilePointer pointer) == PileStatus.Ok)
            {
                there.Add(pointer, bytes);
                bytes = Content(random, 2_000);
            }

            // In turns, so that what is deleted and what is stored may come into one segment.
            foreach (PilePointer pointer in there.Keys.ToArray())
            {
                Assert.True(pile.Delete(pointer));
                _ = there.Remove(pointer);
                gone.Add(pointer);
                if (random.Next(3) == 0 && pile.TryPutBytes(bytes = Content(random, 100), out PilePointer another) == PileStatus.Ok)
                {
                    there.Add(another, bytes);
                }

                if (there.Count < 300)
                {
                    break;
                }
            }

            AssertThere(pile, there);
        }

        using ObjectPile opened = Open(files.Kill(), limitBytes: 4 << 20);
        AssertThere(opened, there);
        Assert.All(gone, pointer => Assert.False(opened.TryGet<byte[]>(pointer, out _)));
    }

    [Fact]
    public async Task AFillThatFailsWithinAPutPoisonsThePileAndLeavesNoWriterHeld()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = Open(files);
        byte[] bytes = Content(new Random(5), 2_000);
        List<PilePointer> there = [pile.PutBytes(bytes)];
        files.FailAt(files.Calls + 1, FileFailure.Other);
        PileStatus status;
        while ((status = pile.TryPutBytes(bytes, out PilePointer pointer)) == PileStatus.Ok && there.Count < 1_000)
        {
            there.Add(pointer);
        }

        Assert.Equal(PileStatus.Poisoned, status);
        Assert.StartsWith("pwrite", files.LastCall, StringComparison.Ordinal);
        Task<PileStatus> another = Task.Run(() => pile.TryPutBytes(bytes, out _), TestContext.Current.CancellationToken);
        Assert.Equal(PileStatus.Poisoned, await another.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken));
        Assert.All(there, pointer => Assert.Equal(bytes, pile.Get<byte[]>(pointer)));
        _ = Assert.Throws<IOException>(pile.Dispose);
    }

    [Theory]
    [InlineData(false, (FileLimits.FillBytes / Limits.OsPageBytes) + 2)]
    [InlineData(true, 3 * FileLimits.FillBytes / Limits.OsPageBytes)]
    public void WhereLittleIsStoredBetweenFlushesPagesAreFilledOneByOne(bool isLittle, int calls)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        _ = pile.PutBytes(new byte[2_000]);
        for (int flush = 0; flush < FileLimits.FlushesOfLittle; flush++)
        {
            pile.Commit();
        }

        int fills = 0;
        files.AtCall = call => fills += call.StartsWith("pwrite", StringComparison.Ordinal) ? 1 : 0;
        for (int bytes = 2_000; bytes < (3 * FileLimits.FillBytes) + 2_000; bytes += 2_000)
        {
            _ = pile.PutBytes(new byte[2_000]);
            if (isLittle)
            {
                pile.Commit();
            }
        }

        Assert.Equal(calls, fills);
    }

    private static void Step(ObjectPile pile, Random random, Dictionary<PilePointer, byte[]> there)
    {
        byte[] bytes = Content(random, random.Next(4) == 0 ? 60_000 : 3_000);
        switch (random.Next(8))
        {
            case 0 when there.Count > 0:
                PilePointer changed = there.Keys.ElementAt(random.Next(there.Count));
                pile.UpdateBytes(changed, bytes);
                there[changed] = bytes;
                break;
            case 1 when there.Count > 20:
                PilePointer deleted = there.Keys.ElementAt(random.Next(there.Count));
                Assert.True(pile.Delete(deleted));
                _ = there.Remove(deleted);
                break;
            case 2:
                pile.Commit();
                break;
            case 3:
                // A frame may be longer than what is left of a segment, and than what is filled at once.
                using (PileBatch batch = pile.BeginBatch())
                {
                    byte[][] members = [.. Enumerable.Range(0, random.Next(1, 40)).Select(_ => Content(random, 5_000))];
                    PilePointer[] pointers = [.. members.Select(member => batch.Put(member))];
                    batch.Commit();
                    for (int index = 0; index < members.Length; index++)
                    {
                        there.Add(pointers[index], members[index]);
                    }
                }

                break;
            default:
                there.Add(pile.PutBytes(bytes), bytes);
                break;
        }
    }

    private static byte[] Content(Random random, int bytesMax)
    {
        byte[] bytes = new byte[random.Next(1, bytesMax)];
        random.NextBytes(bytes);
        return bytes;
    }

    private static void AssertThere(ObjectPile pile, Dictionary<PilePointer, byte[]> there)
    {
        foreach ((PilePointer pointer, byte[] bytes) in there)
        {
            Assert.Equal(bytes, pile.Get<byte[]>(pointer));
        }

        Assert.Empty(pile.Verify().Findings);
    }

    private static ObjectPile Open(SimulatedFiles files, long limitBytes = 64 << 20) => ObjectPile.Open("/pile", PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = limitBytes,
        SegmentBytesMin = SegmentBytes,
        SegmentBytesMax = SegmentBytes,
        WritersMax = 1,
        BackgroundCleaning = false,
        FlushInterval = TimeSpan.FromHours(1),
    });
}
