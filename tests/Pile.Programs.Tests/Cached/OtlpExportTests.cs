using System;
using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Programs.Tests.Cached;

/// <summary>What the sample sends to an OTLP receiver, which is this test's.</summary>
public sealed class OtlpExportTests : IDisposable
{
    private readonly SamplePrograms _samples = new();
    private readonly HttpListener _receiver = Listening();
    private readonly ConcurrentDictionary<string, string> _received = new();

    public void Dispose()
    {
        _samples.Dispose();
        _receiver.Close();
    }

    [Fact]
    public async Task MetersAndActivitiesOfTheCacheReachTheReceiver()
    {
        Task receiving = ReceiveAsync();
        _samples.Environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = _receiver.Prefixes.Single();
        _ = await _samples.RunAsync("OtlpExport", "--ticks", "6");
        _receiver.Stop();
        await receiving;

        // Text stands in a protobuf message as it is.
        string metrics = _received["/v1/metrics"];
        string[] names = ["Pile.Cache", "pile.cache.requests", "pile.cache.evictions", "pile.cache.entries", "pile.cache.size", "pile.cache.stampede.joins", "pile.cache.factory.duration", "pile.memory.used", "pile.cache.table", "products", "hit", "miss", "error.type"];
        Assert.All(names, name => Assert.Contains(name, metrics, StringComparison.Ordinal));
        string[] parts = ["Pile.Cache", "pile.cache.factory", "pile.cache.table", "products", "the backend is down", "System.InvalidOperationException"];
        Assert.All(parts, part => Assert.Contains(part, _received["/v1/traces"], StringComparison.Ordinal));
    }

    private static HttpListener Listening()
    {
        // The listener takes no port 0: one that was just free, and another where somebody was quicker.
        for (int tries = 0; ; tries++)
        {
            using var free = new TcpListener(IPAddress.Loopback, 0);
            free.Start();
            int port = ((IPEndPoint)free.LocalEndpoint).Port;
            free.Stop();
            var listener = new HttpListener();
            listener.Prefixes.Add($"http://127.0.0.1:{port}/");
            try
            {
                listener.Start();
                return listener;
            }
            catch (HttpListenerException) when (tries < 10)
            {
                listener.Close();
            }
        }
    }

    private async Task ReceiveAsync()
    {
        while (true)
        {
            HttpListenerContext context;
            try
            {
                context = await _receiver.GetContextAsync();
            }
            catch (Exception end) when (end is HttpListenerException or ObjectDisposedException)
            {
                // Stopped by the test.
                return;
            }

            using MemoryStream body = new();
            await context.Request.InputStream.CopyToAsync(body, CancellationToken.None);
            string text = Encoding.Latin1.GetString(body.ToArray());
            _ = _received.AddOrUpdate(context.Request.Url!.AbsolutePath, text, (_, before) => before + text);
            context.Response.ContentType = "application/x-protobuf";
            context.Response.Close();
        }
    }
}
