using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>What a client tells those who watch it. Listeners are the process's: alone.</summary>
[Collection(Alone.Name)]
public sealed class TelemetryTests
{
    [Fact]
    public async Task CallsBatchesAndFailuresAreToldWithoutKeys()
    {
        var seen = new ConcurrentBag<string>();
        var activities = new ConcurrentBag<Activity>();
        using var meters = new MeterListener();
        meters.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Pile.Client")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        meters.SetMeasurementEventCallback<double>((instrument, _, tags, _) => seen.Add(Text(instrument, tags)));
        meters.SetMeasurementEventCallback<long>((instrument, _, tags, _) => seen.Add(Text(instrument, tags)));
        meters.SetMeasurementEventCallback<int>((instrument, _, tags, _) => seen.Add(Text(instrument, tags)));
        meters.Start();
        using var traces = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Pile.Client",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activities.Add,
        };
        ActivitySource.AddActivityListener(traces);
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using (var client = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1) }))
        {
            _ = await client.Table().SetAsync("secret", new byte[1]);
            _ = await client.Table().RefreshAsync("secret");
            _ = await Assert.ThrowsAsync<PileClientException>(() => client.Table("secret").RefreshAsync("secret"));
            await using var near = new PileNearCache(client);
            await Within.AMinuteAsync(near.Table().Ready, "the watch");
            _ = await near.Table().GetAsync("secret");
            meters.RecordObservableInstruments();
            await near.DisposeAsync();
            seen.Add("disposed");
            meters.RecordObservableInstruments();
        }

        foreach (string name in new[] { "pile.client.batch.calls", "pile.client.call.duration", "pile.client.call.failures", "pile.client.near.hits", "pile.client.near.misses", "pile.client.near.invalidations", "pile.client.near.losses", "pile.client.near.interruptions", "pile.client.near.entries", "pile.client.near.staleness" })
        {
            Assert.Contains(seen, text => text.StartsWith(name, StringComparison.Ordinal) && text.Contains(server.Address, StringComparison.Ordinal));
        }

        Assert.Contains(seen, static text => text.Contains("pile.v1.Entries/Refresh", StringComparison.Ordinal));
        Assert.Contains(seen, static text => text.StartsWith("pile.client.call.failures", StringComparison.Ordinal) && text.Contains("NOT_FOUND", StringComparison.Ordinal));
        Assert.All(seen, static text => Assert.DoesNotContain("secret", text, StringComparison.Ordinal));
        Assert.Equal([ActivityStatusCode.Unset, ActivityStatusCode.Error], activities.Where(static activity => activity.OperationName == "pile.v1.Entries/Refresh").OrderBy(static activity => activity.StartTimeUtc).Select(static activity => activity.Status));
        Assert.All(activities.SelectMany(static activity => activity.TagObjects), static tag => Assert.DoesNotContain("secret", $"{tag.Value}", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("pile.client.call.failures")]
    [InlineData("pile.client.call.retries")]
    [InlineData("pile.client.batch.calls")]
    public async Task WhatAListenerThrowsKeepsNoCallFromItsAnswer(string throwing)
    {
        int told = 0;
        using var meters = new MeterListener();
        meters.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Pile.Client" && instrument.Name == throwing)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        meters.SetMeasurementEventCallback<long>((_, _, _, _) => Throw());
        meters.SetMeasurementEventCallback<int>((_, _, _, _) => Throw());
        meters.Start();
        int streams = 0;
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, _) =>
        {
            bool isFirst = Interlocked.Increment(ref streams) == 1;
            while (await ServerDouble.ReadAsync(requests) is { } request && !isFirst)
            {
                await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, 7));
                await replies.FlushAsync();
            }
        });
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1) });

        Assert.Equal([7], await Within.AMinuteAsync(client.Table().GetAsync("a").AsTask(), "a call whose first stream ended"));
        Assert.True(told > 0 && streams > 1);

        void Throw()
        {
            told++;
            throw new NotSupportedException("A listener's.");
        }
    }

    private static string Text(Instrument instrument, ReadOnlySpan<System.Collections.Generic.KeyValuePair<string, object?>> tags) =>
        $"{instrument.Name} {string.Join(' ', tags.ToArray().Select(static tag => $"{tag.Key}={tag.Value}"))}";
}
