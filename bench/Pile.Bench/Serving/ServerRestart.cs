using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>From the start of the server's process on a directory to the first hit that a client gets.</summary>
internal sealed class ServerRestart : IWorkload
{
    private const int EntriesOverObjects = 10;
    private readonly Workplace _place;
    private readonly Pinned _client;
    private readonly int _entries;
    private readonly int _port = Pinned.FreePort();

    internal ServerRestart(BenchSettings settings)
    {
        _entries = settings.Objects * EntriesOverObjects;
        _place = Workplace.OnDisk(settings, "server-restart");
        _client = ServedPile.Client("first", ServedPile.AddressOf(_port, "http"), (_entries - 1).ToString(CultureInfo.InvariantCulture));
        _ = _client.Next();
        Rows =
        [
            Row.Slower($"server: restart to the first hit, {_entries:#,0} entries in files", "restart", "nothing", 1_000, 300,
                "From the start of the process, on one core, to a hit of the last key that was stored; stopped by SIGTERM before. The client, on another core, tries every millisecond.") with { Unit = "ms" },
            Row.Slower($"server: the same after kill -9, {_entries:#,0} entries in files", "killed", "nothing", null, null, "As above, killed before.") with { Unit = "ms" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        using Pinned server = ServedPile.InFiles(_port, _place.Of("pile")).Listening(_port);
        ServedPile.Fill(ServedPile.AddressOf(_port, "http"), _entries);
        server.Stop();
    }

    public void Round(Samples samples)
    {
        samples.Keep("nothing", new Spent(1, 1));
        samples.Keep("restart", Restart(stops: false));
        samples.Keep("killed", Restart(stops: true));
    }

    public void Dispose()
    {
        _client.Dispose();
        _place.Dispose();
    }

    private Spent Restart(bool stops)
    {
        Workplace.Settle();
        long began = Stopwatch.GetTimestamp();
        using Pinned server = ServedPile.InFiles(_port, _place.Of("pile"));
        _ = _client.Ask("");
        double ms = Stopwatch.GetElapsedTime(began).TotalMilliseconds;
        if (stops)
        {
            server.Stop();
        }

        return new Spent(ms, ms);
    }
}
