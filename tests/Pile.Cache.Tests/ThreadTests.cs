// Many threads on one table: readers that check what they read, writers, removers, the cleaner at work, limits that are short.
// Each value says its key and a number; a reader never sees another key's, nor half of one.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Threading;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class ThreadTests
{
    [Theory]
    [InlineData(PileTableKind.Speculative, 3)]
    [InlineData(PileTableKind.Durable, 48)]
    public void ReadersSeeWholeValuesOfTheirKeysOnly(PileTableKind kind, int limitMiB)
    {
        using TinyCache tiny = new((long)limitMiB << 20, backgroundCleaning: true);
        PileTable<long, byte[]> table = tiny.Table<long, byte[]>(new PileTableOptions { Kind = kind });
        var failures = new List<string>();
        var threads = new List<Thread>();
        for (int index = 0; index < 8; index++)
        {
            int number = index;
            var thread = new Thread(() => Run(table, number, failures, kind == PileTableKind.Durable));
            threads.Add(thread);
            thread.Start();
        }

        threads.ForEach(static thread => thread.Join());
        Assert.Empty(failures);
    }

    [Fact]
    public void ACounterThatManyThreadsUpdateLosesNothing()
    {
        using TinyCache tiny = new(4 << 20, backgroundCleaning: true);
        PileTable<int, long> table = tiny.Table<int, long>();
        table.Set(1, 0, new PileEntryOptions { Priority = PileCachePriority.NeverRemove });
        var threads = new List<Thread>();
        for (int index = 0; index < 4; index++)
        {
            var thread = new Thread(() =>
            {
                for (int step = 0; step < 5000; step++)
                {
                    table.Update(1, 1L, static (value, more) => value + more, new PileEntryOptions { Priority = PileCachePriority.NeverRemove });
                }
            });
            threads.Add(thread);
            thread.Start();
        }

        threads.ForEach(static thread => thread.Join());
        Assert.True(table.TryGet(1, out long count));
        Assert.Equal(20_000, count);
    }

    private static void Run(PileTable<long, byte[]> table, int number, List<string> failures, bool isDurable)
    {
        var random = new Random(number);
        byte[] buffer = new byte[512];
        for (int step = 0; step < 30_000; step++)
        {
            // Own keys are written by this thread alone; others' are read.
            bool isOwn = random.Next(2) == 0;
            long key = (random.Next(3000) * 8L) + (isOwn ? number : random.Next(8));
            if (isOwn)
            {
                int length = 16 + random.Next(300);
                Fill(buffer.AsSpan(0, length), key, step);
                PileSetResult result = table.Set(key, buffer.AsSpan(0, length));
                bool isRemoved = random.Next(4) == 0;
                if (isRemoved)
                {
                    table.Remove(key);
                }

                bool isThere = table.TryGet(key, buffer, out int bytes);
                if (isDurable && (isThere == isRemoved || !result.IsStored))
                {
                    Fail(failures, $"key {key}: {result}, removed {isRemoved}, there {isThere}");
                }

                Check(failures, buffer, key, isThere, bytes, step);
            }
            else
            {
                bool isThere = table.TryGet(key, buffer, out int bytes);
                Check(failures, buffer, key, isThere, bytes, -1);
            }
        }
    }

    private static void Fill(Span<byte> target, long key, int step)
    {
        target.Fill((byte)step);
        BinaryPrimitives.WriteInt64LittleEndian(target, key);
        BinaryPrimitives.WriteInt64LittleEndian(target[8..], step);
    }

    private static void Check(List<string> failures, byte[] buffer, long key, bool isThere, int bytes, int step)
    {
        if (!isThere)
        {
            return;
        }

        long its = BinaryPrimitives.ReadInt64LittleEndian(buffer);
        long number = BinaryPrimitives.ReadInt64LittleEndian(buffer.AsSpan(8));
        if (its != key || (step >= 0 && number != step) || buffer.AsSpan(16, bytes - 16).ContainsAnyExcept((byte)number))
        {
            Fail(failures, $"key {key} step {step}: a value of key {its} step {number}");
        }
    }

    private static void Fail(List<string> failures, string what)
    {
        lock (failures)
        {
            failures.Add(what);
        }
    }
}
