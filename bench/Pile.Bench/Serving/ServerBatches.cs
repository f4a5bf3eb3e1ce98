using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>Batches of 64 on one stream, by a client that makes its requests beforehand: against Redis pipelined, and against its MGET.</summary>
internal sealed class ServerBatches : IWorkload
{
    private const int Batch = 64;
    private readonly Workplace _place;
    private readonly ServedPile _pile;
    private readonly ServedRedis _redis;
    private readonly Dictionary<string, Pinned> _clients = [];
    private readonly int _seconds;
    private readonly int _requests;
    private readonly string _warmSeconds;

    internal ServerBatches(BenchSettings settings)
    {
        (_seconds, _requests, _warmSeconds) = settings.Quick ? (1, 200_000, "1") : (3, 1_500_000, "20");
        _place = Workplace.OnDisk(settings, "server-batches");
        _pile = ServedPile.InMemory(settings.Objects, _place.FullName);
        _redis = new ServedRedis(settings.Objects);
        string keys = settings.Objects.ToString(CultureInfo.InvariantCulture);
        foreach ((string name, string address, string kind) in ((string, string, string)[])[("get", _pile.Address, "get"), ("set", _pile.Address, "set"), ("tls", _pile.SecureAddress, "get")])
        {
            Pinned client = ServedPile.Client("load", address, kind, "--keys", keys);
            _ = client.Next();
            _clients.Add(name, client);
        }

        const string How = "Server on core 0, client on core 1; random keys of 16 bytes, values of 100. Ours: batches of 64 on one stream, 16 of them under way, four sent at a time. ";
        string theirs = How + $"Theirs: {_redis.Version} under redis-benchmark, 50 connections, ";
        Rows =
        [
            Row.Faster("server: Get in batches of 64, random keys, vs Redis GET -P 16", "get", "redis-get", 2, 5, theirs + "16 commands at once on each. Time for each item."),
            Row.Faster("server: Get in batches of 64, random keys, vs Redis MGET of 64", "get", "redis-mget", 0.3, 1, theirs + "MGET of 64 random keys. Time for each item."),
            Row.Faster("server: Set in batches of 64, random keys, vs Redis SET -P 16", "set", "redis-set", 1.5, 4, theirs + "16 commands at once on each. Time for each item."),
            Row.Slower("server: Get in batches of 64 by TLS vs in the clear", "tls", "get", 1.4, 1.2, How + "Theirs: the same in the clear. Time for each item."),
            .. _clients.Keys.Select(name => Row.Slower($"server: the client of {name}, its share of its core", name + "-client", "one", null, null, "Processor time over the wall's.") with { Unit = "" }),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        foreach (Pinned client in _clients.Values)
        {
            _ = client.Ask(_warmSeconds);
        }
    }

    public void Round(Samples samples)
    {
        samples.Keep("one", new Spent(1, 1));
        samples.Keep("redis-get", _redis.Run(_requests, 1, "-P", "16", "-t", "get"));
        Run(samples, "get");
        samples.Keep("redis-mget", _redis.Run(_requests / 10, Batch, ["MGET", .. Enumerable.Repeat("key:__rand_int__", Batch)]));
        Run(samples, "tls");
        samples.Keep("redis-set", _redis.Run(_requests, 1, "-P", "16", "-t", "set", "-d", ServedPile.ValueBytes.ToString(CultureInfo.InvariantCulture)));
        Run(samples, "set");
    }

    public void Dispose()
    {
        foreach (Pinned client in _clients.Values)
        {
            client.Dispose();
        }

        _pile.Dispose();
        _redis.Dispose();
        _place.Dispose();
    }

    private void Run(Samples samples, string name)
    {
        double before = _pile.CpuSeconds;
        double[] said = [.. _clients[name].Ask(_seconds.ToString(CultureInfo.InvariantCulture)).Split(' ').Select(static word => double.Parse(word, CultureInfo.InvariantCulture))];
        samples.Keep(name, new Spent(said[1] * 1e9 / said[0], (_pile.CpuSeconds - before) * 1e9 / said[0]));
        samples.Keep(name + "-client", new Spent(said[2] / said[1], said[2] / said[1]));
    }
}
