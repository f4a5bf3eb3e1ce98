using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Segments;
using Pile.Tests.Codecs.Cases;
using Pile.Tests.Codecs.Graphs;
using Pile.Tests.Durability;
using Pile.Tests.Golden;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>Exports of piles and what imports make of them.</summary>
public sealed class HeapExportTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<PilePromise> Promises => [PilePromise.Memory, PilePromise.ProcessSafe, PilePromise.PowerSafe];

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task ExportsAndClearsOfAPileInMemoryGoOnBesideEachOther()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny);
        using var ended = new CancellationTokenSource();
        Task clears = Task.Factory.StartNew(
            () =>
            {
                while (!ended.IsCancellationRequested)
                {
                    pile.Roots.Set("root", pile.Put("value"));
                    pile.Clear();
                }
            },
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        Task exports = Task.Factory.StartNew(
            () =>
            {
                for (int round = 0; round < 2000; round++)
                {
                    _ = pile.Export(Stream.Null);
                }
            },
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        await exports.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
        await ended.CancelAsync();
        await clears.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
    }

    [Theory]
    [MemberData(nameof(Promises))]
    public void AnImportHoldsEverythingUnderTheSamePointers(PilePromise promise)
    {
        using ObjectPile pile = NewPile(promise);
        GoldenContent.Fill(pile);
        pile.Clear();
        GoldenContent.Fill(pile);
        byte[] export = ExportSample.Export(pile);
        _ = pile.Put("after the export");
        using ObjectPile memory = ExportSample.ToMemory(export);
        RequireGolden(memory, pile.Tag, PilePromise.Memory);
        using (ObjectPile files = ExportSample.ToDirectory(export, In("imported")))
        {
            RequireGolden(files, pile.Tag, promise == PilePromise.Memory ? PilePromise.PowerSafe : promise);
            ExportSample.RequireSame(memory, files);
        }

        // From the log alone, which is what the import made durable.
        foreach (string derived in Directory.GetFiles(In("imported")).Where(static path => Path.GetFileName(path) is var name && (name.StartsWith("table", StringComparison.Ordinal) || name.StartsWith("sums", StringComparison.Ordinal))))
        {
            File.Delete(derived);
        }

        using ObjectPile crawled = ObjectPile.Open(In("imported"), GoldenContent.Options with { OpenMode = PileOpenMode.OpenExisting });
        Assert.Equal(PileOpening.Crawled, crawled.RecoveryReport().Opening);
        ExportSample.RequireSame(memory, crawled);
        RequireGolden(crawled, pile.Tag, crawled.Promise());
    }

    [Theory]
    [MemberData(nameof(Promises))]
    public void AnExportOfAnImportIsTheSameBytes(PilePromise promise)
    {
        using ObjectPile pile = NewPile(promise);
        GoldenContent.Fill(pile);
        byte[] export = ExportSample.Export(pile);
        Assert.Equal(export, ExportSample.Export(pile));
        using ObjectPile imported = promise == PilePromise.Memory ? ExportSample.ToMemory(export) : ExportSample.ToDirectory(export, In("imported"));
        Assert.Equal(export, ExportSample.Export(imported));
    }

    [Theory]
    [MemberData(nameof(GoldenTests.Images), MemberType = typeof(GoldenTests))]
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    public void AGoldenPileIsExportedAndImported(string image)
    {
        using (FileStream packed = File.OpenRead(Path.Combine(GoldenTests.Folder(), image)))
        {
            GoldenImage.Unpack(packed, In("golden"));
        }

        using ObjectPile pile = ObjectPile.Open(In("golden"), GoldenContent.Options with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true });
        byte[] export = ExportSample.Export(pile);
        using ObjectPile memory = ExportSample.ToMemory(export);
        using ObjectPile files = ExportSample.ToDirectory(export, In("imported"));
        GoldenContent.Require(memory);
        GoldenContent.Require(files);
        ExportSample.RequireSame(pile, memory);
        ExportSample.RequireSame(pile, files);
    }

    [Theory]
    [InlineData(PilePromise.Memory)]
    [InlineData(PilePromise.PowerSafe)]
    public void EveryGraphOfTheCorpusComesBackWithItsLinks(PilePromise promise)
    {
        using ObjectPile pile = NewPile(promise);
        Dictionary<string, PilePointer> pointers = Corpus.Names.ToDictionary(static name => name, name => pile.Put(Corpus.Make(name)));
        using ObjectPile memory = ExportSample.ToMemory(ExportSample.Export(pile));
        long schemas = memory.Core.Schemas;
        foreach ((string name, PilePointer pointer) in pointers)
        {
            // Shows the types, whose schemas are there already.
            _ = memory.Put(Corpus.Make(name));
            Assert.Equal(schemas, memory.Core.Schemas);
            string? difference = GraphComparer.Difference(pile.Get<object>(pointer), memory.Get<object>(pointer));
            Assert.True(difference is null, $"{name}: {difference}");
            Assert.Equal(pile.ToJson(pointer), memory.ToJson(pointer));
        }
    }

    [Theory]
    [MemberData(nameof(Promises))]
    public void PointersOfDeletedObjectsStayStaleForEver(PilePromise promise)
    {
        const int Seed = 23;
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {Seed}");
        var random = new Random(Seed);
        using ObjectPile pile = NewPile(promise);
        HashSet<PilePointer> issued = [];
        Dictionary<PilePointer, int> alive = [];
        for (int step = 0; step < 20_000; step++)
        {
            if (random.Next(3) > 0 || alive.Count == 0)
            {
                PilePointer pointer = pile.Put(step);
                Assert.True(issued.Add(pointer));
                alive.Add(pointer, step);
            }
            else
            {
                PilePointer pointer = alive.Keys.First();
                Assert.True(alive.Remove(pointer) && pile.Delete(pointer));
            }
        }

        byte[] export = ExportSample.Export(pile);
        using ObjectPile memory = ExportSample.ToMemory(export);
        using ObjectPile files = ExportSample.ToDirectory(export, In("imported"));
        foreach (ObjectPile imported in (ObjectPile[])[memory, files])
        {
            HashSet<PilePointer> mine = [.. issued];
            for (int step = 0; step < 10_000; step++)
            {
                Assert.True(mine.Add(imported.Put(-1)), "a pointer was issued twice");
            }

            foreach (PilePointer pointer in issued)
            {
                Assert.Equal(alive.ContainsKey(pointer), imported.TryGet(pointer, out int value, out PileStatus status));
                Assert.True(status == PileStatus.Stale || value == alive[pointer]);
            }

            Assert.Empty(imported.Verify().Findings);
        }
    }

    [Fact]
    public void SlotsThatAreUsedUpStayUsedUpThoughTheirPageWasGivenBack()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { WritersMax = 1 });
        PilePointer[] all = [.. Enumerable.Range(0, 3 * 4096).Select(pile.Put)];
        foreach (PilePointer pointer in all.Where(static pointer => pointer.Slot < 4096))
        {
            pile.Core.Table.Publish(pointer.Slot, EntryWord.Live(EntryWord.Location(pile.Core.Table.Read(pointer.Slot)), EntryWord.GenerationMax));
            Assert.True(pile.Delete(new PilePointer(PointerWord.Pack(pointer.Slot, pile.Tag, EntryWord.GenerationMax))));
        }

        Assert.Equal(4095, pile.GetStatistics().SlotsRetired);
        byte[] export = ExportSample.Export(pile);
        using ObjectPile memory = ExportSample.ToMemory(export);
        using ObjectPile files = ExportSample.ToDirectory(export, In("imported"));
        Assert.Equal(4095, memory.GetStatistics().SlotsRetired);
        Assert.Equal(4095, files.GetStatistics().SlotsRetired);
        Assert.Equal(export, ExportSample.Export(memory));
        ExportSample.RequireSame(pile, memory);
        ExportSample.RequireSame(pile, files);
    }

    [Theory]
    [InlineData(PilePromise.Memory)]
    [InlineData(PilePromise.PowerSafe)]
    public async Task AnExportMadeUnderLoadIsOneMomentOfEachThread(PilePromise promise)
    {
        // Each thread moves a number from object to object: in every moment its objects' versions are at most one apart, falling.
        const int Threads = 3;
        const int Objects = 50;
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = promise == PilePromise.Memory ? 64 << 20 : null };
        using ObjectPile pile = promise == PilePromise.Memory ? ObjectPile.Create(options) : ObjectPile.Open(In("source"), options with { DiskLimitBytes = 64 << 20 });
        PilePointer[][] pointers = [.. Enumerable.Range(0, Threads).Select(_ => Enumerable.Range(0, Objects).Select(_ => pile.Put(0L)).ToArray())];
        using var ending = new CancellationTokenSource();
        Task[] writers = [.. pointers.Select(own => Task.Run(() => Rewrite(pile, own, ending.Token), CancellationToken.None))];
        List<byte[]> exports = [];
        for (int count = 0; count < 5; count++)
        {
            using var target = new MemoryStream();
            _ = await pile.ExportAsync(target, cancellationToken: TestContext.Current.CancellationToken);
            exports.Add(target.ToArray());
        }

        await ending.CancelAsync();
        await Task.WhenAll(writers);
        long last = 0;
        foreach (byte[] export in exports)
        {
            using ObjectPile imported = ExportSample.ToMemory(export);
            foreach (PilePointer[] own in pointers)
            {
                long[] versions = [.. own.Select(imported.Get<long>)];
                Assert.Equal(versions.OrderDescending(), versions);
                Assert.InRange(versions[0] - versions[^1], 0, 1);
            }

            Assert.True(imported.Get<long>(pointers[0][0]) >= last);
            last = imported.Get<long>(pointers[0][0]);
        }
    }

    [Theory]
    [MemberData(nameof(Promises))]
    public void ItsHoldOnMemoryShowsInTheStatisticsAndEnds(PilePromise promise)
    {
        using ObjectPile pile = NewPile(promise);
        GoldenContent.Fill(pile);
        int told = 0;
        PileTransferProgress last = default;
        var progress = new Telling(value =>
        {
            told++;
            last = value;
            Assert.True(pile.GetStatistics().ThreadsInside >= 1);
        });
        PileExportReport report = pile.Export(Stream.Null, progress, TestContext.Current.CancellationToken);
        Assert.True(told > 3);
        Assert.Equal((report.Objects, report.Objects, report.Bytes), (last.Objects, last.TotalObjects, last.Bytes));
        Assert.Equal(0, pile.GetStatistics().ThreadsInside);
        Assert.Empty(pile.Verify().Findings);
    }

    [Theory]
    [MemberData(nameof(Promises))]
    public void AnExportThatEndsEarlyLeavesThePileAsItWasAndNoImportAcceptsIt(PilePromise promise)
    {
        using ObjectPile pile = NewPile(promise);
        GoldenContent.Fill(pile);
        long whole = ExportSample.Export(pile).LongLength;
        for (int blocks = 1; blocks <= 4; blocks++)
        {
            using var cancellation = new CancellationTokenSource();
            using var target = new MemoryStream();
            int told = 0;
            Assert.ThrowsAny<OperationCanceledException>(() => pile.Export(target, new Telling(_ =>
            {
                if (++told == blocks)
                {
                    cancellation.Cancel();
                }
            }), cancellation.Token));
            Assert.True(target.Length < whole);
            Assert.ThrowsAny<PileException>(() => ExportSample.ToMemory(target.ToArray()));
        }

        using (var full = new MemoryStream(new byte[whole / 2]))
        {
            Assert.Throws<NotSupportedException>(() => pile.Export(full, cancellationToken: TestContext.Current.CancellationToken));
        }

        Assert.Throws<ArgumentException>("target", () => pile.Export(new MemoryStream([], writable: false), cancellationToken: TestContext.Current.CancellationToken));
        Assert.Equal(0, pile.GetStatistics().ThreadsInside);
        GoldenContent.Require(pile);
        Assert.Empty(pile.Verify().Findings);
        pile.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pile.Export(Stream.Null, cancellationToken: TestContext.Current.CancellationToken));
    }

    [Fact]
    public void ADamagedObjectIsNotExported()
    {
        PilePointer damaged;
        using (ObjectPile pile = ObjectPile.Open(In("source"), GoldenContent.Options))
        {
            GoldenContent.Fill(pile);
            damaged = pile.Put("the damaged one");
        }

        string extent = Directory.GetFiles(Path.Combine(In("source"), "extents")).Order(StringComparer.Ordinal).First(static path => File.ReadAllBytes(path).AsSpan().IndexOf("the damaged one"u8) > 0);
        byte[] bytes = File.ReadAllBytes(extent);
        bytes[bytes.AsSpan().IndexOf("the damaged one"u8)] ^= 1;
        File.WriteAllBytes(extent, bytes);
        using ObjectPile opened = ObjectPile.Open(In("source"), GoldenContent.Options);
        using var target = new MemoryStream();
        Assert.Equal(damaged, Assert.Throws<PileCorruptedException>(() => opened.Export(target, cancellationToken: TestContext.Current.CancellationToken)).Pointer);
        Assert.ThrowsAny<PileException>(() => ExportSample.ToMemory(target.ToArray()));
        Assert.True(opened.Delete(damaged));
        using ObjectPile imported = ExportSample.ToMemory(ExportSample.Export(opened));
        GoldenContent.Require(imported);
    }

    /// <summary>A copy and a salvage have what a cache owned, and no file that tells of the cache.</summary>
    [Theory]
    [InlineData(100)]
    [InlineData(40_000)]
    public void WhatACacheOwnsIsLeftOutThoughNoFileTellsOfTheCache(int bytes)
    {
        using ObjectPile pile = NewPile(PilePromise.PowerSafe);
        PilePointer own = pile.Put("the program's");
        byte[] value = new byte[bytes];
        value[0] = (byte)ExtendedKind.CacheValue;
        Assert.Equal(PileStatus.Ok, pile.Writes.TryPut(RecordCode.Extended, new BytesPayload(value), out _));
        using var target = new MemoryStream();
        Assert.Equal(1, pile.Export(target, cancellationToken: TestContext.Current.CancellationToken).Objects);
        using ObjectPile imported = ExportSample.ToMemory(target.ToArray());
        Assert.Equal(1, imported.GetStatistics().Objects);
        Assert.Equal("the program's", imported.Get<string>(own));
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

    private static void RequireGolden(ObjectPile pile, byte tag, PilePromise promise)
    {
        Assert.Equal((tag, promise), (pile.Tag, pile.Promise()));
        GoldenContent.Require(pile);
        Assert.Empty(pile.Verify().Findings);
    }

    private string In(string name) => Path.Combine(_directory.Path, name);

    private ObjectPile NewPile(PilePromise promise) => promise == PilePromise.Memory
        ? ObjectPile.Create(PileOptions.Tiny with { Codecs = GoldenContent.Options.Codecs })
        : ObjectPile.Open(In("source"), GoldenContent.Options with { Promise = promise });

    private sealed class Telling(Action<PileTransferProgress> tell) : IProgress<PileTransferProgress>
    {
        public void Report(PileTransferProgress value) => tell(value);
    }
}
