using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>Single Gets by Pile.Client, many at once and one at a time: with batches, without, and against Redis pipelined.</summary>
internal sealed class ClientGets : IWorkload
{
    private const int Many = 256;
    private readonly Workplace _place;
    private readonly ServedPile _pile;
    private readonly ServedRedis _redis;
    private readonly Pinned _on;
    private readonly Pinned _off;
    private readonly int _seconds;
    private readonly int _warmSeconds;
    private readonly int _requests;

    internal ClientGets(BenchSettings settings)
    {
        (_seconds, _warmSeconds, _requests) = settings.Quick ? (1, 1, 200_000) : (3, 10, 1_500_000);
        _place = Workplace.OnDisk(settings, "client-gets");
        _pile = ServedPile.InMemory(settings.Objects, _place.FullName);
        _redis = new ServedRedis(settings.Objects);
        string keys = settings.Objects.ToString(CultureInfo.InvariantCulture);
        _on = ServedPile.Client("calls", _pile.Address, "on", keys);
        _off = ServedPile.Client("calls", _pile.Address, "off", keys);
        _ = _on.Next();
        _ = _off.Next();
        const string How = "Server on core 0, client on core 1; random keys of 16 bytes, values of 100 into the caller's memory. ";
        const string Among = How + "256 callers of one client, each with one call at a time. ";
        const string Alone = How + "One caller. ";
        Rows =
        [
            Row.Faster("client: 256 Gets at once vs Redis GET -P 16", "many-on", "redis", 0.4, 0.8, Among + $"Theirs: {_redis.Version} under redis-benchmark, 50 connections, 16 commands at once on each. Time for each Get; the processor time is its server's, and ours the client's."),
            Row.Faster("client: 256 Gets at once vs unary calls", "many-on", "many-off", 4, 8, Among + "Theirs: the same with IsBatching off. Time for each Get."),
            Row.Slower("client: one Get alone, batching on vs off", "one-on", "one-off", 1.05, 1, Alone + "Theirs: the same with IsBatching off. Time for each Get."),
            Bytes("client: allocated for a Get among 256", "many-on-bytes", 8, 0, Among),
            Bytes("client: allocated for a Get alone", "one-on-bytes", 200, 0, Alone),
            Bytes("client: allocated for a Get alone, batching off", "one-off-bytes", null, null, Alone),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        foreach (Pinned client in (Pinned[])[_on, _off])
        {
            _ = Ask(client, Many, _warmSeconds);
            _ = Ask(client, 1, _warmSeconds);
        }
    }

    public void Round(Samples samples)
    {
        samples.Keep("nothing", new Spent(1, 1));
        samples.Keep("redis", _redis.Run(_requests, 1, "-P", "16", "-t", "get"));
        Run(samples, "many-on", _on, Many);
        Run(samples, "many-off", _off, Many);
        Run(samples, "one-on", _on, 1);
        Run(samples, "one-off", _off, 1);
    }

    public void Dispose()
    {
        _on.Dispose();
        _off.Dispose();
        _pile.Dispose();
        _redis.Dispose();
        _place.Dispose();
    }

    private static Row Bytes(string name, string series, double? must, double? reach, string how) =>
        Row.Slower(name, series, "nothing", must, reach, how + "Of the client's whole process, by the runtime's own count.") with { Unit = "B" };

    // The processor's time is the client's.
    private void Run(Samples samples, string series, Pinned client, int callers)
    {
        double[] said = Ask(client, callers, _seconds);
        samples.Keep(series, new Spent(said[1] * 1e9 / said[0], said[2] * 1e9 / said[0]));

        // A tenth of a byte is what the process does beside: timers, and this count.
        double bytes = Math.Round(said[3] / said[0], 1);
        samples.Keep(series + "-bytes", new Spent(bytes, bytes));
    }

    private static double[] Ask(Pinned client, int callers, int seconds) =>
        [.. client.Ask(string.Create(CultureInfo.InvariantCulture, $"{callers} {seconds}")).Split(' ').Select(static word => double.Parse(word, CultureInfo.InvariantCulture))];
}
