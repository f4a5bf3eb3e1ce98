using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Linq;
using Pile.Diagnostics;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>The watch over free space: growth is refused while the reserve is still free, is told once, and goes on when there is space.</summary>
[Collection(Alone.Name)]
public sealed class SpaceWatchTests : IDisposable
{
    private const long Capacity = 16 << 20;
    private const long Reserve = 4 << 20;
    private readonly SimulatedFiles _files = new() { CapacityBytes = Capacity };

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData(PilePromise.PowerSafe)]
    [InlineData(PilePromise.ProcessSafe)]
    public void GrowthIsRefusedBeforeTheDeviceIsFullToldOnceAndGoesOnWhenSpaceIsFreed(PilePromise promise)
    {
        using var listener = new Listener();
        using ObjectPile pile = Open(promise);
        Dictionary<PilePointer, byte> kept = [];
        PileFullException full = Fill(pile, kept);

        // Refused with the reserve untouched, but for what a cleaner may take of it, and by its name.
        Assert.Contains($"DiskReserveBytes = {Reserve:N0}", full.Message, StringComparison.Ordinal);
        Assert.InRange(Free, Reserve - (4 * 65_536), Reserve + (1 << 20));
        Assert.True(pile.GetStatistics().IsDiskLow);
        Assert.Equal(Free, pile.GetStatistics().DiskFreeBytes);
        string told = Assert.Single(listener.Told(pile.Tag));
        Assert.EndsWith($" {Reserve}", told, StringComparison.Ordinal);

        // More attempts are refused too, and not told again.
        Assert.Equal(PileStatus.Full, pile.TryPutBytes(new byte[1 << 20], out _));
        _ = Assert.Single(listener.Told(pile.Tag));
        Require(pile, kept);

        // Another program gives space back: everything goes on, and the state is over.
        _files.CapacityBytes = 2 * Capacity;
        kept.Add(pile.PutBytes(Bytes(9, 1 << 20)), 9);
        Assert.False(pile.GetStatistics().IsDiskLow);
        Require(pile, kept);
        pile.Commit();

        // And when it is short again, that is told again.
        _ = Fill(pile, kept);
        Assert.Equal(2, listener.Told(pile.Tag).Length);
        Require(pile, kept);
    }

    /// <summary>A limit that the next object does not fit into, though a segment would, is the limit's: the device has room.</summary>
    [Theory]
    [InlineData(1_000)]
    [InlineData(100_000)]
    [InlineData(1_000_000)]
    public void WhereTheLimitIsReachedTheDeviceIsNotBlamed(int bytes)
    {
        using ObjectPile pile = ObjectPile.Open("/pile", new PileOptions { Files = _files, DiskLimitBytes = Capacity / 4, DiskReserveBytes = 0 });
        byte[] payload = new byte[bytes];
        while (pile.TryPutBytes(payload, out _) == PileStatus.Ok)
        {
        }

        PileFullException full = Assert.Throws<PileFullException>(() => pile.PutBytes(payload));
        Assert.Contains($"of DiskLimitBytes = {Capacity / 4:N0} bytes are in use", full.Message, StringComparison.Ordinal);
    }

    private long Free => _files.FreeBytes("/");

    private ObjectPile Open(PilePromise promise) => ObjectPile.Open("/pile", PileOptions.Tiny with
    {
        Files = _files,
        Promise = promise,
        MemoryLimitBytes = null,
        DiskLimitBytes = 64 << 20,
        DiskReserveBytes = Reserve,
        WritersMax = 1,
        FlushInterval = TimeSpan.FromHours(1),
    });

    private static PileFullException Fill(ObjectPile pile, Dictionary<PilePointer, byte> kept)
    {
        for (int put = 0; put < 100_000; put++)
        {
            if (pile.TryPutBytes(Bytes((byte)put, 1_000), out PilePointer pointer) != PileStatus.Ok)
            {
                return Assert.Throws<PileFullException>(() => pile.PutBytes(Bytes(1, 1_000)));
            }

            kept.Add(pointer, (byte)put);
        }

        throw new InvalidOperationException("the device does not become full");
    }

    private static byte[] Bytes(byte value, int length) => [.. Enumerable.Repeat(value, length)];

    private static void Require(ObjectPile pile, Dictionary<PilePointer, byte> kept) =>
        Assert.All(kept, each => Assert.False(pile.Get<byte[]>(each.Key).AsSpan().ContainsAnyExcept(each.Value)));

    private sealed class Listener : EventListener
    {
        private readonly List<string> _told = [];

        internal string[] Told(byte tag)
        {
            EventsAside.Written.GetAwaiter().GetResult();
            lock (_told)
            {
                return [.. _told.Where(told => told.StartsWith($"{tag} ", StringComparison.Ordinal))];
            }
        }

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Pile")
            {
                EnableEvents(eventSource, EventLevel.Warning);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            // The base class calls before the fields of this one are there.
            if (eventData.EventId == 12)
            {
                lock (_told)
                {
                    _told.Add(string.Join(' ', eventData.Payload!.Select(static part => Convert.ToString(part, CultureInfo.InvariantCulture))));
                }
            }
        }
    }
}
