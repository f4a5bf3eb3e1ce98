using System.Collections.Generic;
using System.IO;
using Pile.Bench.Baselines;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>One caller that puts an object and waits until it is durable: ours against one put a transaction of LMDB.</summary>
internal sealed class CommitsOverLmdb : IWorkload
{
    private const int CommitsMax = 1000;
    private const long LmdbBytesMax = 1L << 30;
    private readonly Workplace _place;
    private readonly int _commits;
    private readonly ObjectPile _pile;
    private readonly Lmdb _lmdb;
    private readonly byte[] _payload = Data.Payload();
    private long _nextKey;
    private int _round;

    internal CommitsOverLmdb(BenchSettings settings)
    {
        string version = Lmdb.Describe();
        _commits = int.Min(CommitsMax, int.Max(10, settings.Objects / 500));
        _place = Workplace.OnDisk(settings, "lmdb");
        _lmdb = new Lmdb(Directory.CreateDirectory(_place.Of("lmdb")).FullName, LmdbBytesMax);
        _pile = ObjectPile.Open(_place.Of("pile"), new PileOptions { Promise = PilePromise.PowerSafe });
        Rows =
        [
            Row.Faster("PowerSafe, one caller of Commit, vs LMDB, one put a transaction", "pile", "lmdb", 1, 1.5,
                $"{_commits} times PutBytes of 100 B and Commit, by one thread. Theirs: {version}, as many transactions, each with one put of 100 B under a new key of 8 B, synced as it comes. Both on the same disk.") with { Unit = "us" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare() => Round(new Samples());

    public void Round(Samples samples)
    {
        bool oursFirst = (_round++ & 1) == 0;
        foreach (bool isOurs in oursFirst ? [true, false] : (bool[])[false, true])
        {
            Workplace.Settle();
            Spent start = Spent.Now();
            for (int number = 0; number < _commits; number++)
            {
                if (isOurs)
                {
                    _ = _pile.PutBytes(_payload);
                    _pile.Commit();
                }
                else
                {
                    _lmdb.Put(_nextKey++, _payload);
                }
            }

            samples.Keep(isOurs ? "pile" : "lmdb", (Spent.Now() - start) / (1000.0 * _commits));
        }
    }

    public void Dispose()
    {
        _pile.Dispose();
        _lmdb.Dispose();
        _place.Dispose();
    }
}
