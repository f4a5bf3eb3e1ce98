using System;
using System.Threading;

namespace Pile.Tests.Model;

/// <summary>Several threads on one pile: each owns keys and knows their exact content; all read each other's, and a read of
/// another's key gives some version of that key or Stale. Shared counters are changed by all, and no change is lost.</summary>
internal sealed class SharedRun : IDisposable
{
    private const int KeysPerThread = 1500;
    private const int Counters = 4;
    private readonly int _seed;
    private readonly int _threads;
    private readonly ObjectPile _pile;
    private readonly long[] _pointers;
    private readonly int[] _newest;
    private readonly PilePointer[] _counters = new PilePointer[Counters];
    private readonly long[] _added = new long[Counters];
    private long _full;

    internal SharedRun(int seed, int threads, bool background, long limitBytes = 32 << 20)
    {
        _seed = seed;
        _threads = threads;
        _pile = TinyPile.Create(background, limitBytes);
        _pointers = new long[threads * KeysPerThread];
        _newest = new int[threads * KeysPerThread];
        for (int index = 0; index < Counters; index++)
        {
            _counters[index] = _pile.PutValue(0L);
        }
    }

    internal ObjectPile Pile => _pile;

    /// <summary>Calls answered Full.</summary>
    internal long Full => Volatile.Read(ref _full);

    /// <summary>Runs all threads to their end, then verifies; whatever differed is thrown.</summary>
    internal void Run(int operationsPerThread)
    {
        using var crew = new Crew();
        for (int thread = 0; thread < _threads; thread++)
        {
            int own = thread;
            crew.Add($"owner {thread}", () => Work(own, operationsPerThread));
        }

        crew.Run($"seed {_seed}, {_threads} threads");
        for (int index = 0; index < Counters; index++)
        {
            long value = _pile.Get<long>(_counters[index]);
            ModelMismatchException.Unless(value == _added[index], "lost update", $"seed {_seed}: counter {index} is {value}, {_added[index]} changes were made");
        }

        TinyPile.RequireGood(_pile, $"seed {_seed}, {_threads} threads");
    }

    public void Dispose() => _pile.Dispose();

    private void Work(int own, int operations)
    {
        var random = new Random((_seed * 1000) + own);
        for (int operation = 0; operation < operations; operation++)
        {
            int key = (own * KeysPerThread) + random.Next(KeysPerThread);
            int choice = random.Next(100);
            if (choice < 35)
            {
                Write(key, NextBytes(random));
            }
            else if (choice < 45)
            {
                Remove(key, choice % 2 == 0);
            }
            else if (choice < 60)
            {
                ReadOwn(key);
            }
            else if (choice < 95)
            {
                ReadAny(random.Next(_pointers.Length));
            }
            else
            {
                Change(random.Next(Counters));
            }
        }
    }

    private static int NextBytes(Random random)
    {
        int kind = random.Next(1000);
        return Content.HeaderBytes + random.Next(kind < 800 ? 200 : kind < 995 ? 4000 : 100_000);
    }

    private void Write(int key, int bytes)
    {
        var pointer = PilePointer.FromInt64(_pointers[key]);
        int version = _newest[key] + 1;

        // Told before it is stored: nobody ever reads a version above the newest.
        Volatile.Write(ref _newest[key], version);
        byte[] content = Content.Make(key, version, bytes);
        PileStatus status;
        if (pointer.IsNull)
        {
            _ = _pile.TryPut(content, out pointer, out status);
        }
        else
        {
            status = _pile.TryUpdate(pointer, content);
        }

        if (status == PileStatus.Ok)
        {
            Volatile.Write(ref _pointers[key], pointer.ToInt64());
            return;
        }

        ModelMismatchException.Unless(status == PileStatus.Full, "status", $"key {key} answered {status}");
        Interlocked.Increment(ref _full);
        if (!pointer.IsNull)
        {
            // The exact version is no longer known: start the key anew.
            Remove(key, byTake: false);
        }
    }

    private void Remove(int key, bool byTake)
    {
        var pointer = PilePointer.FromInt64(_pointers[key]);
        if (pointer.IsNull)
        {
            return;
        }

        if (byTake)
        {
            bool taken = _pile.TryTake(pointer, out byte[]? bytes);
            ModelMismatchException.Unless(taken, "status", $"take of own key {key} said stale");
            RequireNewest(key, Content.Require(bytes, key, "take"));
        }
        else
        {
            ModelMismatchException.Unless(_pile.Delete(pointer), "status", $"delete of own key {key} said stale");
        }

        Volatile.Write(ref _pointers[key], 0);
        ModelMismatchException.Unless(!_pile.TryLease(pointer, out _), "stale pointer read another object", $"{pointer} of deleted key {key}");
    }

    private void ReadOwn(int key)
    {
        var pointer = PilePointer.FromInt64(_pointers[key]);
        if (pointer.IsNull)
        {
            return;
        }

        using PileLease lease = _pile.Lease(pointer);
        RequireNewest(key, Content.Require(lease.Bytes, key, "lease of own key"));
    }

    private void ReadAny(int key)
    {
        var pointer = PilePointer.FromInt64(Volatile.Read(ref _pointers[key]));
        if (pointer.IsNull || !_pile.TryLease(pointer, out PileLease lease))
        {
            return;
        }

        using (lease)
        {
            int version = Content.Require(lease.Bytes, key, "lease of another's key");
            int newest = Volatile.Read(ref _newest[key]);
            ModelMismatchException.Unless(version >= 1 && version <= newest, "wrong version", $"key {key} gave version {version}, the newest is {newest}");
        }
    }

    private void Change(int counter)
    {
        try
        {
            _pile.Update(_counters[counter], 1L, static (long value, long add) => value + add);
            Interlocked.Increment(ref _added[counter]);
        }
        catch (PileFullException)
        {
            Interlocked.Increment(ref _full);
        }
    }

    private void RequireNewest(int key, int version) =>
        ModelMismatchException.Unless(version == _newest[key], "lost update", $"own key {key} gave version {version} instead of {_newest[key]}");
}
