// A process that uses a cache in files with four threads until it is killed, and says before and after each call what it does: its reader
// knows then what was acknowledged, and what was under way.
// Message: 1 byte thread, 1 byte begun or done, 4 bytes key, 4 bytes version; version 0 is a removal.
using System;
using System.Buffers.Binary;
using System.IO;
using System.Threading;

namespace Pile.Cache.Tests.Model;

internal static class CacheVictim
{
    internal const int Threads = 4;
    internal const int MessageBytes = 10;
    internal const int KeysOfThread = 2000;

    /// <summary>Runs until killed.</summary>
    internal static int Run(Stream pipe, string directory, int seed, int firstVersion, PileTableKind kind)
    {
        using PileCache cache = Open(directory);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", new PileTableOptions { Kind = kind });
        var gate = new Lock();
        var threads = new Thread[Threads];
        for (int thread = 0; thread < Threads; thread++)
        {
            int number = thread;
            threads[thread] = new Thread(() => Use(table, pipe, gate, number, new Random(seed + number), firstVersion));
            threads[thread].Start();
        }

        Array.ForEach(threads, static thread => thread.Join());
        return 0;
    }

    internal static PileCache Open(string directory) => PileCache.Open(directory, new PileCacheOptions { MemoryLimitBytes = 256 << 20 });

    /// <summary>The value of a key's version.</summary>
    internal static byte[] Value(int key, int version)
    {
        var random = new Random((key * 31) + version);
        byte[] value = new byte[random.Next(200) == 0 ? 600_000 : random.Next(4, 300)];
        random.NextBytes(value);
        BinaryPrimitives.WriteInt32LittleEndian(value, version);
        return value;
    }

    private static void Use(PileTable<int, byte[]> table, Stream pipe, Lock gate, int thread, Random random, int firstVersion)
    {
        for (int version = firstVersion; ; version++)
        {
            int key = (thread * KeysOfThread) + random.Next(KeysOfThread);
            bool isRemoval = random.Next(4) == 0;
            Say(pipe, gate, thread, isDone: false, key, isRemoval ? 0 : version);
            if (isRemoval)
            {
                _ = table.Remove(key);
            }
            else if (!table.Set(key, Value(key, version)).IsStored)
            {
                throw new InvalidOperationException("A Set was refused far below the limit.");
            }

            Say(pipe, gate, thread, isDone: true, key, isRemoval ? 0 : version);
        }
    }

    private static void Say(Stream pipe, Lock gate, int thread, bool isDone, int key, int version)
    {
        Span<byte> message = stackalloc byte[MessageBytes];
        message[0] = (byte)thread;
        message[1] = (byte)(isDone ? 1 : 0);
        BinaryPrimitives.WriteInt32LittleEndian(message[2..], key);
        BinaryPrimitives.WriteInt32LittleEndian(message[6..], version);
        lock (gate)
        {
            pipe.Write(message);
        }
    }
}
