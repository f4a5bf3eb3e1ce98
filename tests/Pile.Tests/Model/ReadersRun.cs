using System;
using System.Threading;

namespace Pile.Tests.Model;

/// <summary>Updaters churn and the cleaner moves what they leave, while readers look at every byte: through short leases,
/// leases held over many updates, batches, pins, and pointers that an enumeration found a moment ago.</summary>
internal sealed class ReadersRun : IDisposable
{
    private const int Keys = 2000;
    private const int UpdatesUnderALongLease = 400;
    private const int ReadsPerTurn = 32;
    private readonly int _seed;
    private readonly ObjectPile _pile;
    private readonly long[] _pointers = new long[Keys];
    private readonly int[] _newest = new int[Keys];
    private readonly int _largestBytes;
    private long _updates;
    private long _looked;

    internal ReadersRun(int seed, bool background, int largestBytes = 1500)
    {
        _seed = seed;
        _largestBytes = largestBytes;
        _pile = TinyPile.Create(background, 64 << 20);
        var random = new Random(seed);
        for (int key = 0; key < Keys; key++)
        {
            _newest[key] = 1;
            _pointers[key] = _pile.PutBytes(Content.Make(key, 1, NextBytes(random))).ToInt64();
        }
    }

    internal ObjectPile Pile => _pile;

    /// <summary>Objects looked at.</summary>
    internal long Looked => Volatile.Read(ref _looked);

    /// <summary>One updater and one thread per way of reading, until the updater has made its updates; then verifies.</summary>
    internal void Run(int updates)
    {
        using var crew = new Crew();
        crew.Add("updater", () =>
        {
            Update(updates, crew);
            crew.Stop();
        });
        crew.Add("short leases", () => Repeat(crew, 1, ReadShortly));
        crew.Add("long leases", () => Repeat(crew, 2, ReadLongly));
        crew.Add("batches", () => Repeat(crew, 3, ReadBatch));
        crew.Add("pins", () => Repeat(crew, 4, ReadPinned));
        crew.Add("enumerations", () => Repeat(crew, 5, ReadEnumerated));
        crew.Run($"seed {_seed}, readers");
        TinyPile.RequireGood(_pile, $"seed {_seed}, readers");
    }

    public void Dispose() => _pile.Dispose();

    private int NextBytes(Random random) => Content.HeaderBytes + random.Next(_largestBytes);

    private void Update(int updates, Crew crew)
    {
        var random = new Random(_seed);
        for (int update = 0; update < updates && !crew.IsStopping; update++)
        {
            int key = random.Next(Keys);
            int version = _newest[key] + 1;
            Volatile.Write(ref _newest[key], version);
            byte[] content = Content.Make(key, version, NextBytes(random));
            var pointer = PilePointer.FromInt64(_pointers[key]);
            if (random.Next(4) > 0)
            {
                _pile.UpdateBytes(pointer, content);
            }
            else
            {
                ModelMismatchException.Unless(_pile.Delete(pointer), "status", $"delete of live key {key} said stale");
                Volatile.Write(ref _pointers[key], _pile.PutBytes(content).ToInt64());
            }

            Volatile.Write(ref _updates, update + 1);
        }
    }

    private void Repeat(Crew crew, int offset, Action<Random, Crew> read)
    {
        var random = new Random(_seed + offset);
        for (int turn = 1; !crew.IsStopping; turn++)
        {
            read(random, crew);
            if (turn % ReadsPerTurn == 0)
            {
                // More threads than cores: the updater must get its turn.
                _ = Thread.Yield();
            }
        }
    }

    private PilePointer Choose(Random random, out int key)
    {
        key = random.Next(Keys);
        return PilePointer.FromInt64(Volatile.Read(ref _pointers[key]));
    }

    private void Look(ReadOnlySpan<byte> bytes, int key, string where)
    {
        int version = Content.Require(bytes, key, where);
        ModelMismatchException.Unless(version >= 1 && version <= Volatile.Read(ref _newest[key]), "wrong version", $"{where}: key {key} gave version {version}");
        Interlocked.Increment(ref _looked);
    }

    private void ReadShortly(Random random, Crew crew)
    {
        PilePointer pointer = Choose(random, out int key);
        if (_pile.TryLease(pointer, out PileLease lease))
        {
            using (lease)
            {
                Look(lease.Bytes, key, "short lease");
            }
        }
    }

    private void ReadLongly(Random random, Crew crew)
    {
        PilePointer pointer = Choose(random, out int key);
        if (!_pile.TryLease(pointer, out PileLease lease))
        {
            return;
        }

        using (lease)
        {
            long until = Volatile.Read(ref _updates) + UpdatesUnderALongLease;
            while (Volatile.Read(ref _updates) < until && !crew.IsStopping)
            {
                Look(lease.Bytes, key, "long lease");
                _ = Thread.Yield();
            }
        }
    }

    private void ReadBatch(Random random, Crew crew)
    {
        Span<PilePointer> pointers = stackalloc PilePointer[40];
        Span<int> keys = stackalloc int[pointers.Length];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = Choose(random, out keys[index]);
        }

        var visitor = new Visitor(this, keys);
        _ = _pile.LeaseMany(pointers, ref visitor);
    }

    private void ReadPinned(Random random, Crew crew)
    {
        PilePointer pointer = Choose(random, out int key);
        PilePin pin;
        try
        {
            pin = _pile.Pin(pointer);
        }
        catch (PileStaleException)
        {
            return;
        }

        using (pin)
        {
            long until = Volatile.Read(ref _updates) + (4 * UpdatesUnderALongLease);
            while (Volatile.Read(ref _updates) < until && !crew.IsStopping)
            {
                Look(pin.Bytes, key, "pin");
                _ = Thread.Yield();
            }
        }
    }

    private void ReadEnumerated(Random random, Crew crew)
    {
        long last = 0;
        foreach (PileItem item in _pile.Enumerate())
        {
            ModelMismatchException.Unless(item.Pointer.Slot > last, "enumeration", $"slot {item.Pointer.Slot} after {last}");
            last = item.Pointer.Slot;
            if (_pile.TryLease(item.Pointer, out PileLease lease))
            {
                using (lease)
                {
                    bool isWhole = Content.IsWhole(lease.Bytes, out long key, out int version);
                    ModelMismatchException.Unless(isWhole, "wrong content", $"enumerated {item.Pointer}: {lease.Length} bytes are not whole (they say key {key}, version {version})");
                }
            }
        }
    }

    private readonly ref struct Visitor(ReadersRun run, ReadOnlySpan<int> keys) : IPileVisitor
    {
        private readonly ReadOnlySpan<int> _keys = keys;

        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes)
        {
            if (status == PileStatus.Ok)
            {
                run.Look(bytes, _keys[index], "batch");
            }
        }
    }
}
