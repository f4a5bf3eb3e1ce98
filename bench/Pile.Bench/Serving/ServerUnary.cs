using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;
using System.Text.RegularExpressions;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>Single Gets by h2load: against Kestrel alone with as many bytes, and against Redis without pipelining.</summary>
internal sealed class ServerUnary : IWorkload
{
    private const string Key = "key:000000012345";
    private readonly Workplace _place;
    private readonly ServedPile _pile;
    private readonly ServedRedis _redis;
    private readonly Pinned _bare;
    private readonly int _barePort;
    private readonly int _seconds;
    private readonly int _warmSeconds;
    private readonly int _redisRequests;
    private readonly int _replyBytes;

    internal ServerUnary(BenchSettings settings)
    {
        (_seconds, _warmSeconds, _redisRequests) = settings.Quick ? (1, 2, 50_000) : (4, 20, 300_000);
        _place = Workplace.OnDisk(settings, "server-unary");
        _pile = ServedPile.InMemory(settings.Objects, _place.FullName);
        _redis = new ServedRedis(settings.Objects);
        byte[] message = [0x12, (byte)Key.Length, .. Encoding.ASCII.GetBytes(Key)];
        byte[] request = new byte[5 + message.Length];
        BinaryPrimitives.WriteInt32BigEndian(request.AsSpan(1), message.Length);
        message.CopyTo(request, 5);
        File.WriteAllBytes(_place.Of("get"), request);

        // found, value and its length, behind the head of a message
        _replyBytes = 5 + 2 + 2 + ServedPile.ValueBytes;
        _barePort = Pinned.FreePort();
        _bare = ServedPile.Server("bare", _barePort.ToString(CultureInfo.InvariantCulture), _replyBytes.ToString(CultureInfo.InvariantCulture)).Listening(_barePort);
        const string How = "Server on core 0, client on core 1. h2load calls Get for one key of 16 bytes with a value of 100; ";
        const string Bare = How + "theirs is Kestrel with one handler that reads the body and writes as many bytes, by the same h2load, without the trailers that gRPC has. Time for each call.";
        Rows =
        [
            Row.Faster("server: unary Get, 8 connections of 32 streams, vs bare Kestrel", "pile-8x32", "bare-8x32", 0.8, 0.97, Bare),
            Row.Faster("server: unary Get, 16 connections of 1 stream, vs bare Kestrel", "pile-16x1", "bare-16x1", 0.85, 0.97, Bare),
            Row.Faster("server: unary Get, 16 connections of 1 stream, vs Redis GET, 16 connections", "pile-16x1", "redis", 0.45, 0.6,
                How + $"theirs is {_redis.Version} under redis-benchmark, random keys of as many entries, no pipelining. Time for each call."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        foreach (int port in (int[])[_pile.Port, _barePort])
        {
            _ = Load(port, 8, 32, _warmSeconds);
            _ = Load(port, 16, 1, _warmSeconds / 2);
        }
    }

    public void Round(Samples samples)
    {
        samples.Keep("pile-8x32", Load(_pile.Port, 8, 32, _seconds));
        samples.Keep("bare-8x32", Load(_barePort, 8, 32, _seconds));
        samples.Keep("pile-16x1", Load(_pile.Port, 16, 1, _seconds));
        samples.Keep("bare-16x1", Load(_barePort, 16, 1, _seconds));
        samples.Keep("redis", _redis.Run(_redisRequests, 1, "-c", "16", "-t", "get"));
    }

    public void Dispose()
    {
        _pile.Dispose();
        _bare.Dispose();
        _redis.Dispose();
        _place.Dispose();
    }

    private Spent Load(int port, int connections, int streams, int seconds)
    {
        double before = Cpu(port);
        using var client = new Pinned(
            Pinned.ClientCore, "h2load", "-D", Text(seconds), "-c", Text(connections), "-m", Text(streams), "-t", "1", "-d", _place.Of("get"), "-H", "content-type: application/grpc", "-H",
            "te: trailers", ServedPile.AddressOf(port, "http") + "/pile.v1.Entries/Get");
        string said = client.End();
        long done = Number(said, @"status codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx");
        if (Number(said, @"(\d+) failed") > 0 || Number(said, @"\((\d+)\) data") < done * _replyBytes)
        {
            throw new InvalidDataException($"Calls have failed, or have said less than they should: {said}");
        }

        double perSecond = double.Parse(Regex.Match(said, @"([\d.]+) req/s").Groups[1].Value, CultureInfo.InvariantCulture);
        return new Spent(1e9 / perSecond, (Cpu(port) - before) * 1e9 / done);
    }

    private double Cpu(int port) => port == _barePort ? _bare.CpuSeconds : _pile.CpuSeconds;

    private static long Number(string said, string pattern) => Regex.Match(said, pattern) is { Success: true } match
        ? long.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)
        : throw new InvalidDataException($"h2load has not said '{pattern}': {said}");

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
