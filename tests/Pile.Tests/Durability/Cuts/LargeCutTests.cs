using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Cuts between the syncs of one flush: the log with its descriptors is durable, the pages of large objects are not.</summary>
[Trait("Category", "Crash")]
public sealed class LargeCutTests
{
    private const int LargeBytes = 20_000;

    /// <summary>Of an object that was updated often since the last flush every version is missing, and none of them costs a walk of everything.</summary>
    [Fact]
    public void VersionsWithoutPagesAreCutInOneGo()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        PilePointer small = pile.Put("small");
        PilePointer[] pointers = [.. Enumerable.Range(0, 3).Select(_ => pile.PutBytes(Large(1)))];
        pile.Commit();
        pile.Commit();
        for (byte version = 2; version < 42; version++)
        {
            Array.ForEach(pointers, pointer => pile.UpdateBytes(pointer, Large(version)));
        }

        using SimulatedFiles cut = CutInFlush(files, pile);
        var told = new Told();
        using ObjectPile opened = PileOpener.Open(CutLife.Directory, Options(cut), told, TestContext.Current.CancellationToken);
        Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
        Assert.Empty(opened.RecoveryReport().Damages);
        Assert.All(pointers, pointer => Assert.Equal(Large(1), opened.Get<byte[]>(pointer)));
        Assert.Equal("small", opened.Get<string>(small));
        Assert.InRange(told.Walks, 2, 4);
    }

    /// <summary>Pages that only versions of before name are not read: they may be another's, or such as the device has lost.</summary>
    [Fact]
    public void PagesOfVersionsBeforeAreNotRead()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        PilePointer pointer = pile.PutBytes(Large(1));
        PilePointer deleted = pile.PutBytes(Large(2));
        for (byte version = 2; version < 10; version++)
        {
            pile.UpdateBytes(pointer, Large(version));
        }

        Assert.True(pile.Delete(deleted));
        pile.Commit();
        using SimulatedFiles cut = files.EnumerateCuts(int.MaxValue).First();
        using ObjectPile opened = PileOpener.Open(CutLife.Directory, Options(cut), progress: null, TestContext.Current.CancellationToken);
        Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
        Assert.Equal(Large(9), opened.Get<byte[]>(pointer));
        Assert.Equal(LargeBytes, opened.RecoveryReport().RunBytes);
    }

    /// <summary>Descriptors that were made to name the same pages, each a little less of them, cost no more than all pages a few times.</summary>
    [Fact]
    public void DescriptorsOfTheSamePagesAreComparedForAFewTimesThePagesOnly()
    {
        const int HostileBytes = 8 << 20;
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        PilePointer[] pointers = [.. Enumerable.Range(0, 100).Select(_ => pile.PutBytes(Large(1)))];
        PilePointer all = pile.PutBytes(new byte[HostileBytes]);
        LargeDescriptor run = LargeDescriptor.Read(pile.Core.Directory.Space.Bytes(ForgedRecord.LocationOf(pile, all), DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        for (int index = 0; index < pointers.Length; index++)
        {
            int bytes = HostileBytes - index;
            Rewrite(pile, ForgedRecord.LocationOf(pile, pointers[index]), run with { PayloadBytes = bytes, PayloadCrc = Crc32C.Compute(new byte[bytes]) });
        }

        pile.Commit();
        pile.Commit();
        using SimulatedFiles cut = files.EnumerateCuts(int.MaxValue).First();
        using ObjectPile opened = PileOpener.Open(CutLife.Directory, Options(cut) with { AcceptLoss = true }, progress: null, TestContext.Current.CancellationToken);
        PileRecoveryReport report = opened.RecoveryReport();
        Assert.Equal(PileOpening.Crawled, report.Opening);
        Assert.InRange(report.RunBytes, HostileBytes, opened.Core.Extents.Bytes * FileLimits.CrawlRunsOverExtentsMax);
        Assert.NotEmpty(report.Damages);
    }

    /// <summary>Two segments that were made so that each cut in one of them lets a version in the other count, whose pages are missing too: after many walks
    /// all that was never flushed is cut at once, and nothing else is lost.</summary>
    [Fact]
    public void CutsThatExposeOneAnotherComeToAnEnd()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        const string Kept = "committed before";
        PilePointer early = pile.PutString(Kept);
        pile.Commit();
        PilePointer[] pointers = [.. Enumerable.Range(0, 8 * FileLimits.CrawlWalksMax).Select(_ => pile.PutBytes(new byte[LargeDescriptor.Bytes]))];
        long[] first = [.. pointers.Select(pointer => ForgedRecord.LocationOf(pile, pointer))];
        while (pile.Core.Directory.At(ForgedRecord.LocationOf(pile, pile.PutBytes(new byte[LargeDescriptor.Bytes]))) == pile.Core.Directory.At(first[0]))
        {
        }

        // Of two in a row the first is without its pages, and the second the next version of one in the other segment.
        long[] second = [.. pointers.Select(_ => ForgedRecord.LocationOf(pile, pile.PutBytes(new byte[LargeDescriptor.Bytes])))];
        for (int index = 0; index < first.Length; index += 2)
        {
            Forge(pile, first[index], pointers[index].Slot, isLarge: true);
            Forge(pile, first[index + 1], pointers[index + 1].Slot, isLarge: false);
            Forge(pile, second[index], pointers[index + 1].Slot, isLarge: true);
            Forge(pile, second[index + 1], pointers[int.Max(0, index - 2)].Slot, isLarge: index == 0);
        }

        pile.Commit();
        using SimulatedFiles cut = files.EnumerateCuts(int.MaxValue).First();
        var told = new Told();
        using ObjectPile opened = PileOpener.Open(CutLife.Directory, Options(cut), told, TestContext.Current.CancellationToken);
        Assert.Empty(opened.RecoveryReport().Damages);
        Assert.InRange(told.Walks, FileLimits.CrawlWalksMax, 4 * FileLimits.CrawlWalksMax);
        Assert.Equal(Kept, opened.Get<string>(early));
    }

    /// <summary>Makes a record the first version of an object, without pages, or the second, which needs none.</summary>
    private static void Forge(ObjectPile pile, long location, uint slot, bool isLarge)
    {
        FlatSpace space = pile.Core.Directory.Space;
        new LargeDescriptor(1L << 30, LargeBytes, RecordCode.Bytes, 1).Write(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        ulong word1 = space.ReadWord(location + 1);
        space.WriteWord(location + 1, word1 - DurableRecord.Version(word1) + (isLarge ? 1UL : 2UL));
        ForgedRecord.Seal(pile, location, RecordWord.Pack(slot, isLarge ? RecordCode.Large : RecordCode.Bytes, LargeDescriptor.Bytes));
    }

    /// <summary>Makes a descriptor another, whole by all its checks.</summary>
    private static void Rewrite(ObjectPile pile, long location, LargeDescriptor run)
    {
        FlatSpace space = pile.Core.Directory.Space;
        run.Write(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        ForgedRecord.Seal(pile, location, space.ReadWord(location));
    }

    /// <summary>What a power cut leaves of a flush when the log is synced and nothing else is.</summary>
    private static SimulatedFiles CutInFlush(SimulatedFiles files, ObjectPile pile)
    {
        List<SimulatedFiles> cuts = [];
        files.AtCall = call =>
        {
            if (call.StartsWith("fdatasync", StringComparison.Ordinal) && call.Contains("extents", StringComparison.Ordinal))
            {
                cuts.Add(files.EnumerateCuts(int.MaxValue).First());
            }
        };
        pile.Commit();
        files.AtCall = null;
        Assert.True(cuts.Count > 1);
        cuts.Where((_, index) => index != 1).ToList().ForEach(static cut => cut.Dispose());
        return cuts[1];
    }

    private static byte[] Large(byte content) => [.. Enumerable.Repeat(content, LargeBytes)];

    private static PileOptions Options(SimulatedFiles files) => CutLife.Options(files) with { DiskLimitBytes = 32 << 20 };

    private static ObjectPile Open(SimulatedFiles files)
    {
        ObjectPile pile = PileOpener.Open(CutLife.Directory, Options(files), progress: null, TestContext.Current.CancellationToken);
        pile.Durable!.Core.Log.Flushes.Wanted = static () => { };
        return pile;
    }

    /// <summary>Counts how often the one segment was walked.</summary>
    private sealed class Told : IProgress<PileRecoveryProgress>
    {
        internal int Walks { get; private set; }

        public void Report(PileRecoveryProgress value) => Walks++;
    }
}
