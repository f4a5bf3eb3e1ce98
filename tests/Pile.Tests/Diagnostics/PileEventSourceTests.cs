using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Diagnostics;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Diagnostics;

[Collection(Alone.Name)]
public sealed class PileEventSourceTests
{
    [Fact]
    public void TheEventsHaveTheirNumbersNamesAndPayloads()
    {
        using var listener = new Listener();
        byte tag;
        using (var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 2 << 20 }))
        {
            tag = pile.It.Tag;
            Assert.False(pile.It.TryPut(new byte[4 << 20], out _, out _));
            pile.It.Clear();
        }

        PileEventSource.Log.SegmentQuarantined(77);
        PileEventSource.Log.KeeperFailed("why");
        PileEventSource.Log.FlushFailed(12, "no device");
        PileEventSource.Log.PileOpened(200, "Clean: so");
        PileEventSource.Log.TableDamaged(200, 3);
        PileEventSource.Log.DiskLow(200, 5, 7);
        PileEventSource.Log.PreallocationShort(200, 6, 8);
        PileEventSource.Log.ListenerFailed(200, "why");
        PileEventSource.Log.TableOptionsIgnored(200, "names", "Factory");
        PileEventSource.Log.EntryUnreadable(200, "names", "why");
        PileEventSource.Log.KeyTypesUnknown(200, "names", "Shop!Shop.Key", 2, 3, "Add it.");
        PileEventSource.Log.TagRemovalsMerged(200, 4, 5);

        string number = tag.ToString(CultureInfo.InvariantCulture);
        Assert.Equal(
            [
                $"1 PileCreated Informational tag={number} memoryLimitBytes=2097152",
                $"3 PileFull Warning tag={number} bytes=4194304 usedBytes=0 memoryLimitBytes=2097152",
                $"6 PileCleared Informational tag={number}",
                $"2 PileDisposed Informational tag={number}",
                "4 SegmentQuarantined Error segment=77",
                "5 KeeperFailed Error failure=why",
                "7 FlushFailed Error flush=12 failure=no device",
                "8 PileOpened Informational tag=200 how=Clean: so",
                "9 TableDamaged Error tag=200 entries=3",
                "12 DiskLow Warning tag=200 freeBytes=5 reserveBytes=7",
                "15 PreallocationShort Warning tag=200 readyBytes=6 preallocationBytes=8",
                "13 ListenerFailed Warning tag=200 failure=why",
                "14 TableOptionsIgnored Warning tag=200 table=names options=Factory",
                "16 EntryUnreadable Warning tag=200 table=names failure=why",
                "17 KeyTypesUnknown Warning tag=200 table=names type=Shop!Shop.Key keys=2 keysRead=3 wayOut=Add it.",
                "18 TagRemovalsMerged Warning tag=200 merged=4 left=5",
            ],
            listener.Events);
        Assert.Equal("Pile", PileEventSource.Log.Name);
    }

    /// <summary>What a pile began when its open failed behind it ends with that open.</summary>
    [Fact]
    public async Task AnOpenThatFailsBehindItsPileEndsThePile()
    {
        using var listener = new Listener();
        using var source = new CancellationTokenSource();
        using var files = new SimulatedFiles { CapacityBytes = 64 << 20 };
        int allocations = 0;
        files.AtCall = call =>
        {
            if (call.StartsWith("fallocate", StringComparison.Ordinal) && ++allocations == 10)
            {
                source.Cancel();
            }
        };

        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ObjectPile.OpenAsync("/pile", new PileOptions { Files = files, PreallocationBytes = 32 << 20 }, cancellationToken: source.Token));

        _ = Assert.Single(listener.Events, static heard => heard.StartsWith("2 PileDisposed", StringComparison.Ordinal));
        Assert.InRange(listener.Events.Count(static heard => heard.StartsWith("8 PileOpened", StringComparison.Ordinal)), 0, 1);
    }

    [Fact]
    public void TheManifestIsWhole()
    {
        string? manifest = EventSource.GenerateManifest(typeof(PileEventSource), null, EventManifestOptions.Strict);

        Assert.NotNull(manifest);
        Assert.Equal(["0", "1", "10", "11", "12", "13", "14", "15", "16", "17", "18", "2", "3", "4", "5", "6", "7", "8", "9"], EventSourceIds(manifest));
    }

    private static IEnumerable<string> EventSourceIds(string manifest) => manifest
        .Split("<event value=\"", StringSplitOptions.None)
        .Skip(1)
        .Select(static part => part[..part.IndexOf('"', StringComparison.Ordinal)])
        .Order(StringComparer.Ordinal);

    private sealed class Listener : EventListener
    {
        internal List<string> Events { get; } = [];

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Pile")
            {
                EnableEvents(eventSource, EventLevel.Verbose);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            IEnumerable<string> payload = eventData.PayloadNames!.Zip(
                eventData.Payload!, static (name, value) => string.Create(CultureInfo.InvariantCulture, $"{name}={value}"));
            lock (Events)
            {
                Events.Add($"{eventData.EventId} {eventData.EventName} {eventData.Level} {string.Join(' ', payload)}");
            }
        }
    }
}
