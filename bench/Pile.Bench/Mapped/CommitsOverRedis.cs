using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>Many callers, each of which puts an object and waits until it is durable: ours against a Redis that syncs before it answers.</summary>
internal sealed class CommitsOverRedis : IWorkload
{
    private const int Callers = 16;
    private const int CommitsMax = 500;
    private readonly Workplace _place;
    private readonly int _commits;
    private readonly RedisServer _redis;
    private readonly ObjectPile _pile;
    private readonly RedisClient[] _clients;
    private readonly byte[] _payload = Data.Payload();
    private int _round;

    internal CommitsOverRedis(BenchSettings settings)
    {
        string program = RedisServer.Find();
        _commits = int.Min(CommitsMax, int.Max(10, settings.Objects / 1000));
        _place = Workplace.OnDisk(settings, "redis");
        _redis = new RedisServer(program, _place.Of("redis"));
        _clients = [.. Enumerable.Range(0, Callers).Select(_ => new RedisClient(_redis.Socket))];
        _pile = ObjectPile.Open(_place.Of("pile"), new PileOptions { Promise = PilePromise.PowerSafe });
        Rows =
        [
            Row.Faster($"PowerSafe, {Callers} callers of Commit, vs Redis appendfsync always", "pile", "redis", 2, 5,
                $"{Callers} threads, each {_commits} times PutBytes of 100 B and Commit. Theirs: {RedisServer.Describe(program)}, {Callers} connections over a Unix socket, each as many SETs "
                + "of 100 B under keys of their own, appendfsync always, no snapshots. Both on the same disk. Time for each commit of all.") with { Unit = "us" },
            Row.Faster($"PowerSafe, {Callers} callers of CommitAsync, vs Redis appendfsync always", "pile-async", "redis-async", 2, 5,
                $"The same by {Callers} tasks that await, ours CommitAsync, theirs the sockets.") with { Unit = "us" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare() => Round(new Samples());

    public void Round(Samples samples)
    {
        int round = _round++;
        bool oursFirst = (round & 1) == 0;
        foreach (bool isOurs in oursFirst ? [true, false] : (bool[])[false, true])
        {
            long FirstKey(int caller) => (((long)round * Callers) + caller) * CommitsMax * 2;
            Workplace.Settle();
            samples.Keep(isOurs ? "pile" : "redis", isOurs
                ? Run((_, _) =>
                {
                    _ = _pile.PutBytes(_payload);
                    _pile.Commit();
                })
                : Run((caller, number) => _clients[caller].Set(FirstKey(caller) + number, _payload)));
            Workplace.Settle();
            samples.Keep(isOurs ? "pile-async" : "redis-async", isOurs
                ? RunAsync((_, _) =>
                {
                    _ = _pile.PutBytes(_payload);
                    return _pile.CommitAsync();
                })
                : RunAsync((caller, number) => _clients[caller].SetAsync(FirstKey(caller) + CommitsMax + number, _payload)));
        }
    }

    public void Dispose()
    {
        _pile.Dispose();
        Array.ForEach(_clients, client => client.Dispose());
        _redis.Dispose();
        _place.Dispose();
    }

    /// <summary>As <see cref="Run"/>, by tasks.</summary>
    private Spent RunAsync(Func<int, int, ValueTask> call)
    {
        double start = Spent.Now().WallNs;
        Task.WaitAll([.. Enumerable.Range(0, Callers).Select(caller => Task.Run(async () =>
        {
            for (int number = 0; number < _commits; number++)
            {
                await call(caller, number).ConfigureAwait(false);
            }
        }))]);
        double us = (Spent.Now().WallNs - start) / 1000 / (Callers * _commits);
        return new Spent(us, us);
    }

    /// <summary>Microseconds for each call of all callers together. The processor time is the wall's: these wait.</summary>
    private Spent Run(Action<int, int> call)
    {
        using var barrier = new Barrier(Callers + 1);
        Exception? failure = null;
        var threads = new Thread[Callers];
        for (int index = 0; index < Callers; index++)
        {
            int caller = index;
            threads[index] = new Thread(() =>
            {
                barrier.SignalAndWait();
                try
                {
                    for (int number = 0; number < _commits; number++)
                    {
                        call(caller, number);
                    }
                }
                catch (Exception exception)
                {
                    // Told by the thread that waits for all of them.
                    failure = exception;
                }
            });
            threads[index].Start();
        }

        barrier.SignalAndWait();
        double start = Spent.Now().WallNs;
        Array.ForEach(threads, thread => thread.Join());
        double us = (Spent.Now().WallNs - start) / 1000 / (Callers * _commits);
        return failure is null ? new Spent(us, us) : throw new InvalidOperationException("A caller failed.", failure);
    }
}
