// A server of a near table that is the test: it says what watches tell and reads bring, and when.
using System;
using System.Collections.Concurrent;
using System.IO;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Http;

namespace Pile.Client.Tests;

internal sealed class NearScript : IAsyncDisposable
{
    internal static readonly TimeSpan Bound = TimeSpan.FromSeconds(1);

    private readonly StampClock _clock = new();
    private readonly ServerDouble _server;
    private readonly PileClient _client;
    private readonly PileNearCache _cache;
    private readonly ConcurrentQueue<V1.WatchRequest> _watches;
    private int _reads;

    private NearScript(ServerDouble server, ConcurrentQueue<V1.WatchRequest> watches)
    {
        _server = server;
        _watches = watches;
        _client = new PileClient(new PileClientOptions { Address = server.Address, TimeProvider = _clock, Deadline = TimeSpan.FromMinutes(1) });
        _cache = new PileNearCache(_client, new PileNearOptions { StalenessMax = Bound });
        Table = _cache.Table();
    }

    internal StampClock Clock => _clock;

    internal PileNearTable Table { get; }

    internal V1.WatchRequest[] Watches => [.. _watches];

    internal int Reads => _reads;

    internal PileNearFigures Figures => _cache.GetFigures();

    /// <summary>What the read of a number brings.</summary>
    internal Func<int, Task<V1.GetReply>> OnRead { get; set; } = static _ => Task.FromResult(new V1.GetReply());

    private Channel<V1.WatchReply?> Told { get; } = Channel.CreateUnbounded<V1.WatchReply?>();

    internal static async Task<NearScript> StartAsync()
    {
        NearScript? script = null;
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var watches = new ConcurrentQueue<V1.WatchRequest>();
        ServerDouble server = await ServerDouble.StartAsync(
            static (_, _, _) => Task.CompletedTask,
            async context =>
            {
                await started.Task;
                await script!.ServeAsync(context);
            });
        script = new NearScript(server, watches);
        started.SetResult();
        return script;
    }

    /// <summary>Tells the watch something; null ends it, and the table is gone.</summary>
    internal void Tell(V1.WatchReply? reply) => _ = Told.Writer.TryWrite(reply);

    /// <summary>Tells it where the server's clock stands, with a change of another key, and waits until it is known.</summary>
    internal async Task TellAsync(ulong readUs, string resume = "r")
    {
        long before = Figures.Invalidations;
        var reply = new V1.WatchReply { ReadUs = readUs, Resume = ByteString.CopyFromUtf8(resume) };
        reply.Events.Add(new V1.WatchEvent { Key = ByteString.CopyFromUtf8("another") });
        Tell(reply);

        // The change is taken before the clock's reading: a further one, without a reading, comes after both.
        await Within.UntilAsync(() => Task.FromResult(Figures.Invalidations > before), "the change is told");
        before = Figures.Invalidations;
        reply.ReadUs = 0;
        Tell(reply.Clone());
        await Within.UntilAsync(() => Task.FromResult(Figures.Invalidations > before), "the next change is told");
    }

    internal bool IsKept(string key) => Table.Entries.Copy(System.Text.Encoding.UTF8.GetBytes(key), new byte[16]) >= 0;

    public async ValueTask DisposeAsync()
    {
        await _cache.DisposeAsync();
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    private async Task ServeAsync(HttpContext context)
    {
        using var request = new MemoryStream();
        await context.Request.Body.CopyToAsync(request);
        byte[] message = request.ToArray()[5..];
        if (context.Request.Path.Value!.EndsWith("/Get", StringComparison.Ordinal))
        {
            await WriteAsync(context, await OnRead(Interlocked.Increment(ref _reads)));
            await ServerDouble.EndAsync(context, StatusCode.OK);
            return;
        }

        _watches.Enqueue(V1.WatchRequest.Parser.ParseFrom(message));
        try
        {
            while (await Told.Reader.ReadAsync(context.RequestAborted) is { } reply)
            {
                await WriteAsync(context, reply);
            }

            await ServerDouble.EndAsync(context, StatusCode.NotFound, PileStatus.Refused);
        }
        catch (OperationCanceledException)
        {
            // The client has gone.
        }
    }

    private static async Task WriteAsync(HttpContext context, IMessage message)
    {
        await context.Response.Body.WriteAsync(ServerDouble.FramedAlone(message.ToByteArray()));
        await context.Response.Body.FlushAsync();
    }
}
