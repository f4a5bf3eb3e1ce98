using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A power cut in the midst of the reuse of a segment that the checkpoint knows: its new sequence was lost, some of what
/// overwrote it was not, and one of its records still stands there whole.</summary>
public sealed class OverwrittenSegmentTests
{
    private const string Path = "/pile";

    [Fact]
    public void ARecordThatStillStandsInItIsFoundAtItsCopy()
    {
        using var files = new SimulatedFiles();
        using ObjectPile used = Open(files);
        var core = (HeapCore<DurableRecord>)used.Core;
        PilePointer[] pointers = [.. Enumerable.Range(0, 2000).Select(index => used.PutBytes(Content(index)))];
        long before = LocationOf(used, pointers[0]);
        Segment segment = core.Directory.At(before);
        Assert.True(used.Durable!.Checkpoints.TryTake(CancellationToken.None));

        // The cleaner copies the first object; the flush covers copy and retirement.
        DeleteWithTheFirst(used, pointers, keptOneIn: int.MaxValue);
        used.Commit();
        Clean(used, utilisationMax: 0.5);
        Assert.NotEqual(before, LocationOf(used, pointers[0]));
        used.Commit();
        files.Snapshot();
        using SimulatedFiles cut = files.PowerCut(new Random(1));
        Overwrite(cut, segment, segment.Bytes / 2, segment.Bytes / 2);

        using ObjectPile opened = Open(cut);
        Assert.True(opened.RecoveryReport().CheckpointFlush >= 0, opened.RecoveryReport().Reason);
        Assert.NotEqual(before, LocationOf(opened, pointers[0]));
        Assert.Equal(Content(0), opened.Get<byte[]>(pointers[0]));
        Assert.Empty(opened.Verify().Findings);
    }

    /// <summary>A checkpoint knows a copy. The open after a cut takes the record that it was made of, which stands in a segment that the checkpoint knows too; then the copy's segment is free
    /// again, and the power is cut once more before there is another checkpoint.</summary>
    [Fact]
    public void ARecordThatAnOpenTookInPlaceOfItsCopyIsFoundByTheNextOpen()
    {
        using var files = new SimulatedFiles();
        using ObjectPile used = Open(files);
        PilePointer[] pointers = [.. Enumerable.Range(0, 2000).Select(index => used.PutBytes(Content(index)))];
        long before = LocationOf(used, pointers[0]);
        DeleteWithTheFirst(used, pointers, keptOneIn: 2);
        used.Commit();
        Clean(used, utilisationMax: 0.9);
        long copied = LocationOf(used, pointers[0]);
        Assert.NotEqual(before, copied);
        Assert.True(used.Durable!.Checkpoints.TryTake(CancellationToken.None));
        files.Snapshot();
        using SimulatedFiles first = files.PowerCut(new Random(1));

        using ObjectPile again = Open(first);
        Assert.True(again.RecoveryReport().CheckpointFlush >= 0, again.RecoveryReport().Reason);
        Assert.Equal(before, LocationOf(again, pointers[0]));
        Segment copies = again.Core.Directory.At(copied);
        for (int round = 0; copies.State != SegmentState.Free; round++)
        {
            Assert.True(round < 10, "the segment of the copy was never free again");
            _ = again.PutBytes(Content(round));
            again.Commit();
            Clean(again, utilisationMax: 0);
        }

        again.Commit();
        Assert.Equal(before, LocationOf(again, pointers[0]));
        first.Snapshot();
        using SimulatedFiles second = first.PowerCut(new Random(1));
        using ObjectPile opened = Open(second);
        Assert.Equal(Content(0), opened.Get<byte[]>(pointers[0]));
        Assert.Empty(opened.Verify().Findings);
    }

    /// <summary>A cut ends a segment before a record of which nothing is there, and one behind it, as little flushed, is whole. When the segment is used again its header goes first.</summary>
    [Fact]
    public void WhatStandsBehindAnEarlierCutIsNoDamage()
    {
        int met = 0;
        for (int seed = 0; seed < 40; seed++)
        {
            using var files = new SimulatedFiles();
            using ObjectPile used = Open(files);
            PilePointer[] pointers = [.. Enumerable.Range(0, 20).Select(index => used.PutBytes(Content(index)))];
            used.Commit();
            PilePointer[] unflushed = [.. Enumerable.Range(0, 200).Select(index => used.PutBytes(Content(index)))];
            long[] stood = [.. unflushed.Select(pointer => LocationOf(used, pointer))];
            using SimulatedFiles first = files.PowerCut(new Random(seed));

            using ObjectPile again = Open(first);
            var core = (HeapCore<DurableRecord>)again.Core;
            Segment segment = core.Directory.At(LocationOf(again, pointers[0]));
            int behind = stood.Count(location => location - segment.Location >= segment.WrittenBytes / Limits.WordBytes
                && LogRecord.TryRead(core.Extents, core.Directory, core.Log.Identity, location, out _));
            Assert.All(pointers.Skip(1), pointer => Assert.True(again.Delete(pointer)));
            again.Commit();
            core.Cleaner.EnterRole();
            _ = core.Cleaner.Pass(wantedSegments: 1, utilisationMax: 1, waitMs: 0);
            core.Cleaner.ExitRole();
            again.Commit();
            first.Snapshot();
            using SimulatedFiles second = first.PowerCut(new Random(seed));
            Overwrite(second, segment, 0, Limits.OsPageBytes);

            using ObjectPile opened = Open(second);
            met += behind > 0 && segment.State == SegmentState.Retired ? 1 : 0;
            Assert.Empty(opened.RecoveryReport().Damages);
            Assert.Equal(Content(0), opened.Get<byte[]>(pointers[0]));
        }

        Assert.True(met > 0, "no cut left a whole record behind one that is not");
    }

    /// <summary>Deletes what stands in the first object's segment, but that one and some others.</summary>
    private static void DeleteWithTheFirst(ObjectPile pile, PilePointer[] pointers, int keptOneIn)
    {
        Segment segment = pile.Core.Directory.At(LocationOf(pile, pointers[0]));
        List<PilePointer> dead = [.. pointers.Where((pointer, index) => index % keptOneIn != 0 && pile.Core.Directory.At(LocationOf(pile, pointer)) == segment)];
        Assert.All(dead, pointer => Assert.True(pile.Delete(pointer)));
    }

    private static void Clean(ObjectPile pile, double utilisationMax)
    {
        Cleaner<DurableRecord> cleaner = ((HeapCore<DurableRecord>)pile.Core).Cleaner;
        cleaner.EnterRole();
        _ = cleaner.Pass(wantedSegments: 1, utilisationMax, waitMs: 0);
        cleaner.ExitRole();
    }

    private static byte[] Content(int index) => [.. Enumerable.Repeat((byte)index, 100)];

    private static long LocationOf(ObjectPile pile, PilePointer pointer) => EntryWord.Location(pile.Core.Table.Read(pointer.Slot));

    /// <summary>Stores something over a part of the segment, as a new use of it would; the row stays as it was.</summary>
    private static void Overwrite(SimulatedFiles files, Segment segment, int begin, int bytes)
    {
        using StoreFile file = files.Open($"{Path}/extents/00000001", FileOpening.OpenExisting);
        long offset = ExtentHeader.ExtentPrefixBytes + ((segment.Location - ExtentMap.FirstLocation(1)) * Limits.WordBytes);
        byte[] other = new byte[bytes];
        new Random(2).NextBytes(other);
        file.Write(offset + begin, other);
        file.Sync();
    }

    private static ObjectPile Open(SimulatedFiles files) =>
        ObjectPile.Open(Path, PileOptions.Tiny with
        {
            Files = files,
            MemoryLimitBytes = null,
            DiskLimitBytes = 8 << 20,
            WritersMax = 1,
            BackgroundCleaning = false,
            FlushInterval = TimeSpan.FromHours(1),
        });
}
