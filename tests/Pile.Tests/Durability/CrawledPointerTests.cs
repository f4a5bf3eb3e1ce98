using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Pointers that batches handed out go to no other object where the table is built from the log though no power was cut: the log knows of none of them.</summary>
[Trait("Category", "Crash")]
public sealed class CrawledPointerTests
{
    private const int Pointers = 1_500;
    private const int Puts = 4_000;

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void OfABatchThatWasOpenAtTheEndWithoutTableOrSums(bool hadDeleted, bool isClosed)
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        using ObjectPile first = Open(files, PilePromise.PowerSafe);
        Prepare(first, hadDeleted, issued);
        PileBatch batch = first.BeginBatch();
        Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
        first.Commit();
        if (isClosed)
        {
            first.Dispose();
            batch.Dispose();
        }

        using SimulatedFiles ended = files.Fork();
        foreach (string name in ended.List("/pile").Where(name => name.StartsWith(isClosed ? "sums." : "table.", StringComparison.Ordinal)).ToArray())
        {
            ended.Delete(Path.Combine("/pile", name));
        }

        using ObjectPile second = Open(ended, PilePromise.PowerSafe);
        Assert.Equal(PileOpening.Crawled, second.RecoveryReport().Opening);
        Assert.Equal(0, Twice(second, issued));
    }

    [Fact]
    public void OfABatchThatWasGivenUpInAPileWithoutSums()
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        using (ObjectPile first = Open(files, PilePromise.ProcessSafe))
        {
            Prepare(first, true, issued);
            using (PileBatch batch = first.BeginBatch())
            {
                Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
            }
        }

        using SimulatedFiles ended = files.Fork();
        foreach (string name in ended.List("/pile").Where(static name => name.StartsWith("sums.", StringComparison.Ordinal)).ToArray())
        {
            ended.Delete(Path.Combine("/pile", name));
        }

        using ObjectPile second = Open(ended, PilePromise.ProcessSafe);
        Assert.Equal(PileOpening.Crawled, second.RecoveryReport().Opening);
        Assert.Equal(0, Twice(second, issued));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void OfBatchesThatWereGivenUpBeforeACopy(int batches)
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        using ObjectPile first = Open(files, PilePromise.ProcessSafe);
        Prepare(first, true, issued);
        for (int b = 0; b < batches; b++)
        {
            using PileBatch batch = first.BeginBatch();
            Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
        }

        _ = first.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);
        using ObjectPile copy = Open(files, PilePromise.ProcessSafe, "/copy");
        Assert.Equal(0, Twice(copy, issued));
    }

    [Fact]
    public void OfABatchThatWasOpenWhenAReaderExports()
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        using ObjectPile first = Open(files, PilePromise.PowerSafe);
        Prepare(first, false, issued);
        PileBatch batch = first.BeginBatch();
        Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
        first.Commit();
        using SimulatedFiles ended = files.Fork();
        using var stream = new MemoryStream();
        using (ObjectPile reader = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = ended, MemoryLimitBytes = null, OpenMode = PileOpenMode.ReadOnly }))
        {
            reader.Export(stream, cancellationToken: TestContext.Current.CancellationToken);
        }

        first.Dispose();
        stream.Position = 0;
        using ObjectPile imported = PileImport.ToMemory(stream, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(0, Twice(imported, issued));
    }

    /// <summary>Nobody removes anything: the device has no room for the sums when the pile is closed, and the machine starts anew.</summary>
    [Theory]
    [InlineData(PilePromise.PowerSafe)]
    [InlineData(PilePromise.ProcessSafe)]
    public void OfABatchThatWasOpenAtACloseOnAFullDevice(PilePromise promise)
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        PileBatch batch;
        using (ObjectPile first = Open(files, promise))
        {
            Prepare(first, true, issued);
            batch = first.BeginBatch();
            Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
            first.Commit();
            files.CapacityBytes = 1L << 40;
            files.CapacityBytes = (1L << 40) - files.FreeBytes("/pile");
        }

        batch.Dispose();
        using SimulatedFiles ended = files.PowerCut(new Random(1));
        ended.CapacityBytes = long.MaxValue;
        using ObjectPile second = Open(ended, promise);
        Assert.Equal(PileOpening.Crawled, second.RecoveryReport().Opening);
        Assert.Contains("closed in order", second.RecoveryReport().Reason, StringComparison.Ordinal);
        Assert.Equal(0, Twice(second, issued));
    }

    private static int Twice(ObjectPile pile, HashSet<PilePointer> issued) =>
        Enumerable.Range(0, Puts).Count(index => !issued.Add(pile.Put(index)));

    private static void Prepare(ObjectPile pile, bool deletes, HashSet<PilePointer> issued)
    {
        PilePointer[] pointers = !deletes ? [] : [.. Enumerable.Range(0, Puts / 2).Select(index => pile.Put(index))];
        issued.UnionWith(pointers);
        Assert.All(pointers, pointer => Assert.True(pile.Delete(pointer)));
        pile.Commit();
    }

    private static ObjectPile Open(SimulatedFiles files, PilePromise promise, string path = "/pile") => ObjectPile.Open(path, PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        DiskReserveBytes = 0,
        WritersMax = 1,
        Promise = promise,
        FlushInterval = TimeSpan.FromHours(1),
    });
}
