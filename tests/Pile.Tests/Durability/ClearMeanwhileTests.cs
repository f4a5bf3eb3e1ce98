using System;
using System.IO;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Clear of a pile in files, while others have begun something.</summary>
public sealed class ClearMeanwhileTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void ABatchThatPutBeforeAClearIsStaleAndOthersHaveItsSlots()
    {
        using ObjectPile pile = Open();
        using PileBatch batch = pile.BeginBatch();
        PilePointer staged = batch.Put("staged");
        PilePointer replaced = batch.Put("replaced");
        batch.Update(replaced, "once more");
        pile.Clear();
        PilePointer[] others = new PilePointer[10_000];
        for (int index = 0; index < others.Length; index++)
        {
            others[index] = pile.Put((long)index);
        }

        PileStaleException stale = Assert.Throws<PileStaleException>(batch.Commit);
        Assert.Equal(staged, stale.Pointer);
        batch.Dispose();
        for (int index = 0; index < others.Length; index++)
        {
            Assert.Equal(index, pile.Get<long>(others[index]));
            _ = pile.Put(-1L);
            Assert.Equal(index, pile.Get<long>(others[index]));
        }

        Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
    }

    /// <summary>Once meta says that the segments of now do not count, what is stored in them would be gone at the next open, whatever was acknowledged.</summary>
    [Fact]
    public void AClearThatThrowsHalfwayLetsNothingBeStoredAfterIt()
    {
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 8 << 20 };
        ObjectPile pile = ObjectPile.Open(_directory.Path, options);
        _ = pile.Put("before");
        pile.Commit();
        (Action begin, _, Action<Exception> fail) = pile.Core.Clearing;
        pile.Core.Clearing = (begin, static () => throw new InsufficientMemoryException(), fail);
        _ = Assert.Throws<InsufficientMemoryException>(pile.Clear);
        _ = Assert.Throws<PilePoisonedException>(() => pile.Put("after"));
        _ = Assert.Throws<PilePoisonedException>(pile.Commit);
        _ = Assert.Throws<IOException>(pile.Dispose);

        using ObjectPile opened = ObjectPile.Open(_directory.Path, options);
        Assert.Equal(0, opened.GetStatistics().Objects);
        Assert.Equal("after", opened.Get<string>(opened.Put("after")));
        Assert.Empty(opened.Verify().Findings);
    }

    [Fact]
    public void ABatchThatPutsAfterAClearIsCommitted()
    {
        using ObjectPile pile = Open();
        _ = pile.Put("gone");
        using PileBatch batch = pile.BeginBatch();
        pile.Clear();
        PilePointer pointer = batch.Put("there");
        batch.Commit();
        Assert.Equal("there", pile.Get<string>(pointer));
        Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
    }

    [Fact]
    public async Task ChangesOfRootsAndClearsGoOnBesideEachOther()
    {
        using ObjectPile pile = Open();
        Task clears = Task.Factory.StartNew(() => Times(100, _ => pile.Clear()), TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Task roots = Task.Factory.StartNew(
            () => Times(5_000, round =>
            {
                pile.Roots.Set($"root {round % 7}", pile.Put((long)round));
                _ = pile.Roots.Remove($"root {(round + 3) % 7}");
            }),
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        await Task.WhenAll(clears, roots).WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
        Assert.True(pile.Verify().IsGood, string.Join("; ", pile.Verify().Findings));
    }

    /// <summary>An update that found its object alive, and then waited for a Clear, appends nothing: an open would have the object again. Nor does a deletion: of a slot
    /// whose pointers an open believes to be those of the log, others may have been handed out since.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task WhatAClearTookIsNotBackThroughAWriteThatWaitedForIt(bool isUpdate)
    {
        using var files = new SimulatedFiles();
        for (int round = 0; round < 40; round++)
        {
            using SimulatedFiles killed = await WriteWhileClearing(files, round, isUpdate);
            using ObjectPile again = ObjectPile.Open("/cleared", Options(killed));
            Assert.Equal(0, again.Verify().Objects);
            Assert.Equal(0, EntryWord.Location(again.Core.Table.Read(Limits.FirstSlot)));
        }
    }

    /// <summary>The files as they are when a write that ran into a Clear has ended.</summary>
    private static async Task<SimulatedFiles> WriteWhileClearing(SimulatedFiles files, int round, bool isUpdate)
    {
        using ObjectPile pile = ObjectPile.Open("/cleared", Options(files));
        PilePointer pointer = pile.Put("cleared");
        Action write = isUpdate ? () => pile.Update(pointer, $"updated {round}") : () => _ = pile.Delete(pointer);
        Task? running = null;
        int writes = 0;
        files.AtCall = call =>
        {
            // A call of the Clear, which holds the writers; the entries are not free yet before its second write of meta has returned.
            if (running is null && call.StartsWith("pwrite", StringComparison.Ordinal) && writes++ == round % 3)
            {
                running = Task.Run(() => _ = Record.Exception(write));
                _ = running.Wait(TimeSpan.FromMilliseconds(30));
            }
        };
        pile.Clear();
        files.AtCall = null;
        Assert.NotNull(running);
        await running;
        Assert.False(pile.TryLease(pointer, out _));
        return files.Fork();
    }

    private static PileOptions Options(SimulatedFiles files) =>
        PileOptions.Tiny with { MemoryLimitBytes = null, Files = files, FlushInterval = TimeSpan.FromHours(1) };

    private static void Times(int count, Action<int> action)
    {
        for (int round = 0; round < count; round++)
        {
            action(round);
        }
    }

    private ObjectPile Open() => ObjectPile.Open(_directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null, FlushInterval = TimeSpan.FromMilliseconds(10) });
}
