using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Golden;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Copies of running piles: each is a pile, as the original was at one moment.</summary>
public sealed class CopyTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<PilePromise> Promises => [PilePromise.ProcessSafe, PilePromise.PowerSafe];

    private string Source => Path.Combine(_directory.Path, "source");

    private string Target => Path.Combine(_directory.Path, "above", "copy");

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Promises))]
    public void ACopyHoldsEverythingUnderTheSamePointers(PilePromise promise)
    {
        using ObjectPile pile = ObjectPile.Open(Source, GoldenContent.Options with { Promise = promise });
        GoldenContent.Fill(pile);
        pile.Clear();
        GoldenContent.Fill(pile);
        PileCopyReport report = Copy(pile);
        Assert.True(report.Bytes > 100_000 && report.Segments > 1 && report.LargeObjects >= 2, $"{report}");
        _ = pile.Put("after the copy");
        for (int opened = 0; opened < 2; opened++)
        {
            using ObjectPile copy = ObjectPile.Open(Target, GoldenContent.Options with { OpenMode = PileOpenMode.OpenExisting });
            Assert.Equal(opened == 0 ? PileOpening.Crawled : PileOpening.Clean, copy.RecoveryReport().Opening);
            Assert.Equal(promise, copy.Promise());
            Assert.Equal(1, copy.RecoveryReport().Recoveries);
            GoldenContent.Require(copy);
            Assert.Empty(copy.Verify().Findings);
            Assert.Equal(pile.GetStatistics().Objects - 1, copy.GetStatistics().Objects);
        }

        GoldenContent.Require(pile);
        Assert.Empty(pile.Verify().Findings);
    }

    [Fact]
    public void ALargeObjectIsCopiedToItsEndWhereAShorterOneStoodBefore()
    {
        byte[] content = new byte[300_000];
        new Random(1).NextBytes(content);
        using ObjectPile pile = ObjectPile.Open(Source, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20 });
        Assert.True(pile.Delete(pile.PutBytes(new byte[20_000])));
        pile.Commit();
        _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        PilePointer large = pile.PutBytes(content);
        _ = Copy(pile);
        using ObjectPile copy = ObjectPile.Open(Target, PileOptions.Tiny with { MemoryLimitBytes = null });
        Assert.Equal(content, copy.Get<byte[]>(large));
    }

    [Fact]
    public async Task ACopyThatIsInterruptedBeforeItBeginsHoldsNoWriter()
    {
        using ObjectPile pile = ObjectPile.Open(Source, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20 });
        PilePointer pointer = pile.Put("there");
        pile.Durable!.Core.Cleaner.EnterRole();
        var copy = OwnThread.Start(() =>
        {
            // It waits for the role, unless it is told before.
            Thread.CurrentThread.Interrupt();
            _ = Record.Exception(() => pile.CopyTo(Target, cancellationToken: TestContext.Current.CancellationToken));
        });
        Assert.True(copy.Waits(TimeSpan.FromSeconds(60)));
        pile.Durable.Core.Cleaner.ExitRole();
        copy.Join();
        await Task.Factory.StartNew(() => pile.Update(pointer, "again"), TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        Assert.Equal("again", pile.Get<string>(pointer));
        Assert.Equal(0, pile.GetStatistics().ThreadsInside);
    }

    [Fact]
    public void StatisticsShowThatACopyHoldsBackWhatIsFreed()
    {
        using ObjectPile pile = ObjectPile.Open(Source, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, TimeProvider = new SteppingTime(TimeSpan.FromSeconds(1)) });
        List<PilePointer> pointers = [.. Enumerable.Range(0, 4000).Select(_ => pile.PutBytes(new byte[100]))];
        PileStatistics? first = null;
        PileStatistics? later = null;
        _ = pile.CopyTo(Target, new Telling(at =>
        {
            if (first is null)
            {
                pointers.ForEach(pointer => Assert.True(pile.Delete(pointer)));
                first = pile.GetStatistics();
                _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
                later = pile.GetStatistics();
            }
        }), TestContext.Current.CancellationToken);
        Assert.True(first!.ThreadsInside >= 1 && later!.ThreadsInside >= 1);
        Assert.True(later.OldestStay > first.OldestStay && later.OldestStay >= TimeSpan.FromSeconds(1), $"{first.OldestStay}, {later.OldestStay}");
        Assert.True(later.RetiredSegments > 0);
        _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        PileStatistics after = pile.GetStatistics();
        Assert.Equal((0, TimeSpan.Zero, 0), (after.ThreadsInside, after.OldestStay, after.RetiredSegments));
        using ObjectPile copy = ObjectPile.Open(Target, PileOptions.Tiny with { MemoryLimitBytes = null });
        Assert.Equal(pointers.Count, copy.GetStatistics().Objects);
    }

    [Fact]
    public async Task ACopyMadeUnderLoadIsOneMomentOfEachThread()
    {
        // Each thread moves a number from object to object: in every moment its objects' versions are at most one apart, falling.
        const int Threads = 3;
        const int Objects = 50;
        using ObjectPile pile = ObjectPile.Open(Source, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20 });
        PilePointer[][] pointers = [.. Enumerable.Range(0, Threads).Select(_ => Enumerable.Range(0, Objects).Select(_ => pile.Put(0L)).ToArray())];
        using var ending = new CancellationTokenSource();
        Task[] writers = [.. pointers.Select(own => Task.Run(() => Rewrite(pile, own, ending.Token), CancellationToken.None))];
        for (int copies = 0; copies < 5; copies++)
        {
            _ = Copy(pile, $"{Target}{copies}");
        }

        await ending.CancelAsync();
        await Task.WhenAll(writers);
        long last = 0;
        for (int copies = 0; copies < 5; copies++)
        {
            using ObjectPile copy = ObjectPile.Open($"{Target}{copies}", PileOptions.Tiny with { MemoryLimitBytes = null });
            Assert.Empty(copy.Verify().Findings);
            foreach (PilePointer[] own in pointers)
            {
                long[] versions = [.. own.Select(copy.Get<long>)];
                Assert.Equal(versions.OrderDescending(), versions);
                Assert.InRange(versions[0] - versions[^1], 0, 1);
            }

            long first = copy.Get<long>(pointers[0][0]);
            Assert.True(first >= last);
            last = first;
        }
    }

    [Fact]
    public void ACopyThatIsCancelledLeavesNothingThatIsAPile()
    {
        using ObjectPile pile = ObjectPile.Open(Source, GoldenContent.Options);
        GoldenContent.Fill(pile);
        using var cancellation = new CancellationTokenSource();
        long told = 0;
        Assert.ThrowsAny<OperationCanceledException>(() => pile.CopyTo(Target, new Telling(progress =>
        {
            Assert.InRange(progress.Bytes, 1, progress.TotalBytes + 1_000_000);
            if (++told == 2)
            {
                cancellation.Cancel();
            }
        }), cancellation.Token));
        Assert.Equal(2, told);
        Assert.Equal(["lock"], Directory.GetFiles(Target, "*", SearchOption.AllDirectories).Select(Path.GetFileName));
        GoldenContent.Require(pile);
    }

    [Fact]
    public void WhateverCallFailsTheCopyIsWholeOrNone()
    {
        int calls = 0;
        bool isDone = false;
        for (int failing = 1; !isDone; failing++)
        {
            using var files = new SimulatedFiles();
            using ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1) });
            PilePointer[] pointers = [pile.Put("small"), pile.PutBytes(new byte[50_000])];
            calls = 0;
            int handles = files.OpenHandles;
            files.AtCall = call =>
            {
                if (Interlocked.Increment(ref calls) == failing)
                {
                    throw new Pile.Memory.FileCallException("write", call, "the test wants it so", Pile.Memory.FileFailure.NoSpace);
                }
            };
            try
            {
                _ = pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);
                isDone = calls < failing;
            }
            catch (Exception failure) when (failure is IOException or PileFullException)
            {
                // What is told: the caller tries again, elsewhere.
            }

            files.AtCall = null;
            Assert.Equal(handles, files.OpenHandles);
            Assert.Equal("small", pile.Get<string>(pointers[0]));
            bool isPile = files.Exists("/copy/pile.meta");
            Assert.True(isPile || !isDone);
            if (isPile)
            {
                using ObjectPile copy = ObjectPile.Open("/copy", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20 });
                Assert.Equal("small", copy.Get<string>(pointers[0]));
                Assert.Equal(50_000, copy.Get<byte[]>(pointers[1]).Length);
            }
        }

        Assert.True(calls > 10, $"{calls} calls");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void APowerCutAfterTheCopyTakesNothingOfIt(int seed)
    {
        using var files = new SimulatedFiles();
        PileOptions options = PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1) };
        PilePointer[] pointers;
        using (ObjectPile pile = ObjectPile.Open("/pile", options))
        {
            // Several segments, and large objects whose pages are written between them.
            pointers = [.. Enumerable.Range(0, 300).Select(index => pile.PutBytes(Content(index)))];
            _ = pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);
        }

        using SimulatedFiles cut = files.PowerCut(new Random(seed));
        using ObjectPile copy = ObjectPile.Open("/copy", options with { Files = cut, OpenMode = PileOpenMode.OpenExisting });
        Assert.All(Enumerable.Range(0, pointers.Length), index => Assert.Equal(Content(index), copy.Get<byte[]>(pointers[index])));
        Assert.Empty(copy.Verify().Findings);

        static byte[] Content(int index)
        {
            byte[] bytes = new byte[index % 50 == 0 ? 30_000 : 700];
            bytes.AsSpan().Fill((byte)index);
            return bytes;
        }
    }

    /// <summary>A process that is killed while it copies may leave a pile whose names are not durable yet: who opens it and commits loses nothing.</summary>
    [Fact]
    public void WhatIsCommittedToACopyWhoseMakerWasKilledOutlivesAPowerCut()
    {
        using var files = new SimulatedFiles();
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1) };
        List<SimulatedFiles> killed = [];
        using (ObjectPile pile = ObjectPile.Open("/pile", options with { Files = files }))
        {
            _ = pile.Put("small");
            files.AtCall = _ => killed.Add(files.Fork());
            _ = pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);
            files.AtCall = null;
        }

        int opened = 0;
        foreach (SimulatedFiles image in killed)
        {
            using SimulatedFiles left = image;
            if (!left.Exists("/copy/pile.meta"))
            {
                continue;
            }

            PilePointer later;
            SimulatedFiles cut;
            using (ObjectPile copy = ObjectPile.Open("/copy", options with { Files = left, OpenMode = PileOpenMode.OpenExisting }))
            {
                later = copy.Put("later");
                copy.Commit();
                cut = left.EnumerateCuts(int.MaxValue).First();
            }

            using (cut)
            {
                using ObjectPile found = ObjectPile.Open("/copy", options with { Files = cut, OpenMode = PileOpenMode.OpenExisting });
                Assert.Equal("later", found.Get<string>(later));
                opened++;
            }
        }

        Assert.True(opened > 1, $"{opened} of {killed.Count} images had a pile");
    }

    [Fact]
    public void ADirectoryThatHoldsSomethingIsRefused()
    {
        using ObjectPile pile = ObjectPile.Open(Source, GoldenContent.Options);
        Directory.CreateDirectory(Target);
        File.WriteAllText(Path.Combine(Target, "something"), "of somebody");
        IOException refused = Assert.ThrowsAny<IOException>(() => Copy(pile));
        Assert.Contains("not empty", refused.Message, StringComparison.Ordinal);
        Assert.Single(Directory.GetFileSystemEntries(Target));
        Assert.ThrowsAny<IOException>(() => Copy(pile, Source));
        using ObjectPile memory = ObjectPile.Create();
        Assert.Throws<InvalidOperationException>(() => Copy(memory));
    }

    [Fact]
    public void ACopyThatFailsAtItsMomentLeavesThePileInUse()
    {
        using ObjectPile pile = ObjectPile.Open(Source, GoldenContent.Options);
        _ = pile.Put("before");
        pile.Clear();
        Assert.NotEmpty(Directory.GetFiles(Source, "floors.*"));
        Array.ForEach(Directory.GetFiles(Source, "floors.*"), File.Delete);
        Assert.Throws<PileCorruptedException>(() => Copy(pile));
        PilePointer after = pile.Put("after");
        pile.Commit();
        Assert.Equal("after", pile.Get<string>(after));
        Assert.True(pile.Verify().IsGood);
    }

    /// <summary>Between the look at the directory and its lock others may have made theirs of it.</summary>
    [Fact]
    public void ADirectoryThatBecameAPileMeanwhileIsRefusedAndLeftAsItIs()
    {
        const string Extent = "/copy/extents/00000001";
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1) });
        _ = pile.Put("mine");
        files.AtCall = call =>
        {
            if (call == "open /copy/lock")
            {
                files.AtCall = null;
                files.CreateDirectory("/copy/extents");
                MetaFile.Create(files, "/copy/pile.meta", new MetaSlot { Identity = 1, Sequence = 1 });
                files.Open(Extent, FileOpening.CreateNew).Dispose();
            }
        };
        IOException refused = Assert.ThrowsAny<IOException>(() => pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken));
        Assert.True(files.Exists(Extent));
        Assert.Contains("not empty", refused.Message, StringComparison.Ordinal);
        using var left = MetaFile.Open(files, "/copy/pile.meta", readOnly: true);
        Assert.Equal(1UL, left.Slot.Identity);
    }

    /// <summary>Descriptors that were made to name the same pages cost no more than these once, and a salvage no more than all pages a few times.</summary>
    [Fact]
    public void PagesThatManyDescriptorsNameAreCopiedOnce()
    {
        const int HostileBytes = 8 << 20;
        const int Objects = 100;
        using (ObjectPile pile = ObjectPile.Open(Source, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20 }))
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, Objects).Select(_ => pile.PutBytes(new byte[20_000]))];
            long all = ForgedRecord.LocationOf(pile, pile.PutBytes(new byte[HostileBytes]));
            FlatSpace space = pile.Core.Directory.Space;
            LargeDescriptor run = LargeDescriptor.Read(space.Bytes(all, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
            for (int index = 0; index < Objects; index++)
            {
                long location = ForgedRecord.LocationOf(pile, pointers[index]);
                int bytes = HostileBytes - (index * Limits.OsPageBytes);
                (run with { RunLocation = run.RunLocation + (index * Limits.OsPageBytes / Limits.WordBytes), PayloadBytes = bytes, PayloadCrc = Crc32C.Compute(new byte[bytes]) })
                    .Write(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
                ForgedRecord.Seal(pile, location, space.ReadWord(location));
            }

            PileCopyReport report = Copy(pile);
            Assert.Equal(Objects, report.LargeObjects);
            Assert.InRange(report.Bytes, HostileBytes, 2 * HostileBytes);
        }

        PileSalvageReport salvaged = PileSalvage.Run(Source, $"{Target}2", cancellationToken: TestContext.Current.CancellationToken);
        Assert.InRange(salvaged.Dropped.Count, 1, Objects);
    }

    private static void Rewrite(ObjectPile pile, PilePointer[] own, CancellationToken ending)
    {
        for (long version = 1; !ending.IsCancellationRequested; version++)
        {
            foreach (PilePointer pointer in own)
            {
                pile.Update<long, long>(pointer, version, static (_, next) => next);
            }
        }
    }

    private PileCopyReport Copy(ObjectPile pile, string? target = null) => pile.CopyTo(target ?? Target, cancellationToken: TestContext.Current.CancellationToken);

    private sealed class Telling(Action<PileCopyProgress> tell) : IProgress<PileCopyProgress>
    {
        public void Report(PileCopyProgress value) => tell(value);
    }
}
