using System;
using System.Collections.Generic;
using System.Globalization;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>Bytes that the server's process allocates for a call, and for an item of a batch.</summary>
internal sealed class ServerAllocated : IWorkload
{
    private readonly Pinned _server;
    private readonly string _address;
    private readonly Dictionary<string, Pinned> _clients = [];
    private readonly string _seconds;
    private readonly string _warmSeconds;

    internal ServerAllocated(BenchSettings settings)
    {
        (_seconds, _warmSeconds) = settings.Quick ? ("1", "2") : ("4", "20");
        _address = ServedPile.AddressOf(Pinned.FreePort(), "http");
        _server = ServedPile.Server("serve", "--in-memory", "--memory-limit", "2GiB", "--listen", _address);
        while (!_server.Next().StartsWith("listening", StringComparison.Ordinal))
        {
            // Lines of the log come first.
        }

        ServedPile.Fill(_address, settings.Objects);
        foreach (string kind in (string[])["one", "get", "set"])
        {
            Pinned client = ServedPile.Client("load", _address, kind, "--keys", settings.Objects.ToString(CultureInfo.InvariantCulture));
            _ = client.Next();
            _clients.Add(kind, client);
        }

        const string How = "Of the whole process while a client on another core sends requests, by the runtime's own count. ";
        Rows =
        [
            Bytes("server: allocated for a unary Get", "one", 400, 200, How + "Calls one after the other on one connection."),
            Bytes("server: allocated for an item of a batch of Gets", "get", 4, 0, How + "Batches of 64 on one stream, 16 of them under way, four sent at a time."),
            Bytes("server: allocated for an item of a batch of Sets", "set", 4, 0, How + "Batches of 64 on one stream, 16 of them under way, four sent at a time."),
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
        samples.Keep("nothing", new Spent(1, 1));
        foreach ((string kind, Pinned client) in _clients)
        {
            double before = Allocated();
            double items = double.Parse(client.Ask(_seconds).Split(' ')[0], CultureInfo.InvariantCulture);
            double bytes = (Allocated() - before) / items;
            samples.Keep(kind, new Spent(bytes, bytes));
        }
    }

    public void Dispose()
    {
        foreach (Pinned client in _clients.Values)
        {
            client.Dispose();
        }

        _server.Dispose();
    }

    private static Row Bytes(string name, string series, double must, double reach, string definition) =>
        Row.Slower(name, series, "nothing", must, reach, definition) with { Unit = "B" };

    private double Allocated() => double.Parse(_server.Ask(""), CultureInfo.InvariantCulture);
}
