using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Copies and exports of a pile in which threads take turns in storing and deleting: each is one moment of all of them together,
/// not one moment of each.</summary>
public sealed class MomentTests : IDisposable
{
    private const int Threads = 3;
    private const int Window = 100;
    private const int Takes = 4;
    private const int StepsBetween = 300;
    private const int StepsDuring = 20;
    private readonly TemporaryDirectory _directory = new();
    private long _step;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false, PilePromise.ProcessSafe)]
    [InlineData(false, PilePromise.PowerSafe)]
    [InlineData(true, PilePromise.PowerSafe)]
    [InlineData(true, PilePromise.Memory)]
    public void WhatIsTakenUnderLoadIsOneMomentOfAllThreads(bool isExport, PilePromise promise)
    {
        PileOptions options = PileOptions.Tiny with { WritersMax = 4 };
        using ObjectPile pile = promise == PilePromise.Memory
            ? ObjectPile.Create(options with { MemoryLimitBytes = 64 << 20 })
            : ObjectPile.Open(In("source"), options with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, Promise = promise });
        PilePointer latest = pile.Put(0L);
        var pointers = new PilePointer[2 * Window];
        using var ending = new CancellationTokenSource();
        OwnThread[] threads = [.. Enumerable.Range(0, Threads).Select(me => OwnThread.Start(() => TakeTurns(pile, me, latest, pointers, ending.Token)))];
        List<(long Before, Func<ObjectPile> Open)> taken = [];
        try
        {
            for (int take = 0; take < Takes; take++)
            {
                Await(Volatile.Read(ref _step) + StepsBetween);
                long before = Volatile.Read(ref _step);
                taken.Add((before, isExport ? Export(pile) : Copy(pile, In($"copy{take}"))));
            }
        }
        finally
        {
            ending.Cancel();
            Array.ForEach(threads, static thread => thread.Join());
        }

        foreach ((long before, Func<ObjectPile> open) in taken)
        {
            using ObjectPile moment = open();
            Assert.Empty(moment.Verify().Findings);
            RequireOneMoment(moment, latest, before);
        }
    }

    /// <summary>Step n is one thread's: object n is put, then noted as the latest, then the oldest, which another thread put, is deleted.</summary>
    private void TakeTurns(ObjectPile pile, int me, PilePointer latest, PilePointer[] pointers, CancellationToken ending)
    {
        while (!ending.IsCancellationRequested)
        {
            long step = Volatile.Read(ref _step);
            if (step % Threads != me)
            {
                _ = Thread.Yield();
                continue;
            }

            byte[] bytes = new byte[step % 20 == 0 ? 20_000 : 100];
            BinaryPrimitives.WriteInt64LittleEndian(bytes, step);
            pointers[step % pointers.Length] = pile.PutBytes(bytes);
            pile.Update<long, long>(latest, step, static (_, next) => next);
            if (step >= Window)
            {
                Assert.True(pile.Delete(pointers[(step - Window) % pointers.Length]));
            }

            Volatile.Write(ref _step, step + 1);
        }
    }

    private static void RequireOneMoment(ObjectPile moment, PilePointer latest, long before)
    {
        List<long> numbers = [];
        foreach (PileItem item in moment.Enumerate())
        {
            if (item.Pointer != latest)
            {
                using PileLease lease = moment.Lease(item.Pointer);
                numbers.Add(BinaryPrimitives.ReadInt64LittleEndian(lease.Bytes));
            }
        }

        numbers.Sort();
        Assert.Equal(Enumerable.Range(0, numbers.Count).Select(index => numbers[0] + index), numbers);
        Assert.InRange(numbers.Count, Window, Window + 1);
        Assert.InRange(numbers[^1] - moment.Get<long>(latest), 0, 1);
        Assert.True(numbers[^1] >= before - 1, $"step {before - 1} was done before the call, and {numbers[^1]} is the last that is there");
    }

    /// <summary>Each time it is told of progress, it waits until others have gone on.</summary>
    private void GoOn() => Await(Volatile.Read(ref _step) + StepsDuring);

    private void Await(long step) => Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref _step) >= step, TimeSpan.FromMinutes(1)), "the threads stand still");

    private Func<ObjectPile> Copy(ObjectPile pile, string target)
    {
        _ = pile.CopyTo(target, new Telling<PileCopyProgress>(GoOn), TestContext.Current.CancellationToken);
        return () => ObjectPile.Open(target, PileOptions.Tiny with { MemoryLimitBytes = null });
    }

    private Func<ObjectPile> Export(ObjectPile pile)
    {
        using var target = new MemoryStream();
        _ = pile.Export(target, new Telling<PileTransferProgress>(GoOn), TestContext.Current.CancellationToken);
        byte[] bytes = target.ToArray();
        return () => PileImport.ToMemory(new MemoryStream(bytes), PileOptions.Tiny);
    }

    private string In(string name) => Path.Combine(_directory.Path, name);

    private sealed class Telling<T>(Action told) : IProgress<T>
    {
        public void Report(T value) => told();
    }
}
