using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>A Redis that writes nothing, on the servers' core, with the same entries under the same keys; redis-benchmark is its client.</summary>
internal sealed class ServedRedis : IDisposable
{
    private readonly Pinned _server;
    private readonly int _keys;
    private readonly string _port;

    internal ServedRedis(int keys)
    {
        int port = Pinned.FreePort();
        _port = port.ToString(CultureInfo.InvariantCulture);
        _keys = keys;
        Version = RedisServer.Describe(RedisServer.Find());
        _server = new Pinned(Pinned.ServerCore, RedisServer.Find(), "--port", _port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--logfile", "/dev/null").Listening(port);
        Fill(port);
    }

    internal string Version { get; }

    /// <summary>One run of redis-benchmark.</summary>
    /// <param name="requests">How many.</param>
    /// <param name="items">Items of each.</param>
    /// <param name="arguments">What to run.</param>
    /// <returns>Nanoseconds for each item, and of the server's processor.</returns>
    internal Spent Run(int requests, int items, params string[] arguments)
    {
        double before = _server.CpuSeconds;
        using var client = new Pinned(
            Pinned.ClientCore, "redis-benchmark",
            ["-p", _port, "-r", _keys.ToString(CultureInfo.InvariantCulture), "-n", requests.ToString(CultureInfo.InvariantCulture), "--csv", .. arguments]);
        string line = client.End().Split('\n', StringSplitOptions.RemoveEmptyEntries)[^1];
        double perSecond = double.Parse(line.Split("\",\"")[1], CultureInfo.InvariantCulture);
        return new Spent(1e9 / perSecond / items, (_server.CpuSeconds - before) * 1e9 / requests / items);
    }

    public void Dispose() => _server.Dispose();

    private void Fill(int port)
    {
        using var client = new TcpClient("127.0.0.1", port);
        using NetworkStream stream = client.GetStream();
        using var answers = new StreamReader(stream, Encoding.ASCII, false, 1 << 20);
        string value = new('v', ServedPile.ValueBytes);
        foreach (int[] keys in Enumerable.Range(0, _keys).Chunk(1_000))
        {
            stream.Write(Encoding.ASCII.GetBytes(string.Concat(keys.Select(key => $"SET key:{key:D12} {value}\r\n"))));
            if (keys.Any(_ => answers.ReadLine() != "+OK"))
            {
                throw new InvalidDataException("Redis has not stored an entry.");
            }
        }
    }
}
