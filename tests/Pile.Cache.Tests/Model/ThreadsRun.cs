// Many threads on one table: readers that check what they read, writers, removers, the cleaner at work, limits that are short.
// Each value says its key and a number; a reader never sees another key's, nor half of one.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Threading;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

/// <summary>Threads on one table.</summary>
internal static class ThreadsRun
{
    private static readonly TimeSpan _endsWithin = TimeSpan.FromSeconds(30);

    /// <summary>One run of eight threads.</summary>
    internal static void Run(PileTableKind kind, int limitMiB, int steps, bool inFiles = false)
    {
        TinyCache tiny = new((long)limitMiB << 20, backgroundCleaning: true, inFiles);
        PileTable<long, byte[]> table = tiny.Table<long, byte[]>(new PileTableOptions { Kind = kind });
        var failures = new List<string>();
        var threads = new List<Thread>();
        for (int index = 0; index < 8; index++)
        {
            int number = index;
            var thread = new Thread(() => RunOrFail(table, number, failures, kind == PileTableKind.Durable, steps));
            thread.IsBackground = true;
            threads.Add(thread);
            thread.Start();
        }

        // A thread that comes to no end has met a chain without one. Then the cache is left as it is: to dispose it would wait for the thread.
        long started = TimeProvider.System.GetTimestamp();
        bool hasEnded = threads.TrueForAll(thread => _endsWithin - TimeProvider.System.GetElapsedTime(started) is var left && left > TimeSpan.Zero && thread.Join(left));
        ModelMismatchException.Unless(hasEnded, "no end", "a thread is still at work");
        ModelMismatchException.Unless(failures.Count == 0, "threads", string.Join("; ", failures));
        tiny.Dispose();
    }

    private static void RunOrFail(PileTable<long, byte[]> table, int number, List<string> failures, bool isDurable, int steps)
    {
        try
        {
            Run(table, number, failures, isDurable, steps);
        }
        catch (Exception failure) when (failure is not OutOfMemoryException)
        {
            Fail(failures, failure.ToString());
        }
    }

    private static void Run(PileTable<long, byte[]> table, int number, List<string> failures, bool isDurable, int steps)
    {
        var random = new Random(number);
        byte[] buffer = new byte[512];
        for (int step = 0; step < steps; step++)
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
            if (failures.Count < 20)
            {
                failures.Add(what);
            }
        }
    }
}
