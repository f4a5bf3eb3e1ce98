using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Diagnostics;

/// <summary>Who hears of something may call the pile from there, or have it called: no event is written where something is held that such a call waits for.</summary>
[Collection(Alone.Name)]
public sealed class EventsAsideTests
{
    private const string Path = "/pile";
    private const int SegmentQuarantined = 4;
    private const int FlushFailed = 7;
    private const int TableDamaged = 9;
    private const int ObjectCorrupted = 11;
    private const int DiskLow = 12;
    private const int PreallocationShort = 15;

    private static PileOptions Options => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1) };

    [Fact]
    public void WhoHearsThatTheTableIsDamagedMayVerify()
    {
        using var directory = new TemporaryDirectory();
        using (ObjectPile filled = ObjectPile.Open(directory.Path, Options))
        {
            Assert.All(Enumerable.Range(0, 3 * Limits.TablePageSlots), _ => Assert.False(filled.PutBytes([1]).IsNull));
        }

        using (FileStream table = File.OpenWrite(Directory.GetFiles(directory.Path, "table.*").Single()))
        {
            table.Position = TableHeader.Bytes + (2L * Limits.TablePageSlots * Limits.WordBytes);
            table.Write(new byte[512]);
        }

        RequireAtOpen(TableDamaged, () => ObjectPile.Open(directory.Path, Options));
    }

    [Fact]
    public void WhoHearsOfALargeObjectThatTheCountFindsDamagedMayVerify()
    {
        using var files = new SimulatedFiles();
        long location;
        using (ObjectPile filled = ObjectPile.Open(Path, Options with { Files = files }))
        {
            Assert.All(Enumerable.Range(0, FileLimits.RecountSlots + 1), _ => Assert.False(filled.PutBytes([1]).IsNull));
            location = EntryWord.Location(filled.Core.Table.Read(filled.PutBytes(new byte[100_000]).Slot));
        }

        long row = location >> Limits.ExtentShiftWords;
        byte[] flipped = new byte[1];
        using (StoreFile extent = files.Open($"{Path}/extents/{StoreNames.OfExtent((int)row)}", FileOpening.OpenExisting))
        {
            // The highest bit of the descriptor's length.
            long at = ExtentHeader.ExtentPrefixBytes + ((location - (row << Limits.ExtentShiftWords)) * Limits.WordBytes) + DurableRecord.HeaderBytes + 11;
            extent.Read(at, flipped);
            flipped[0] ^= 0x80;
            extent.Write(at, flipped);
        }

        RequireAtOpen(ObjectCorrupted, () => ObjectPile.Open(Path, Options with { Files = files }));
    }

    [Fact]
    public void WhoHearsOfASegmentOutOfUseMayHaveThePileVerifiedByAThreadOfItsOwn()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open(Path, Options with { Files = files });
        PilePointer[] pointers = [.. Enumerable.Range(0, 1000).Select(_ => pile.PutBytes(new byte[300]))];
        Assert.All(Enumerable.Range(0, 100).Where(static index => index % 2 == 1), index => Assert.True(pile.Delete(pointers[index])));
        pile.Commit();
        pile.Core.Directory.Space.Bytes(EntryWord.Location(pile.Core.Table.Read(pointers[0].Slot)), 4, 4).Fill(0xEE);

        Require(SegmentQuarantined, () => pile.Compact(), () => OwnThread.Start(() => pile.Verify()).Join());
    }

    [Fact]
    public void WhoHearsThatFilesFailedInAClearMayVerify()
    {
        using var files = new SimulatedFiles();
        ObjectPile pile = ObjectPile.Open(Path, Options with { Files = files });
        _ = pile.PutBytes([1]);
        files.AtCall = static call =>
        {
            if (call.StartsWith("fdatasync", StringComparison.Ordinal))
            {
                throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
            }
        };

        Require(FlushFailed, () => Assert.Throws<PilePoisonedException>(pile.Clear), () => pile.Verify());
        Assert.ThrowsAny<IOException>(pile.Dispose);
    }

    [Fact]
    public void WhoHearsThatTheDeviceIsLowMayVerify()
    {
        using var files = new SimulatedFiles { CapacityBytes = 16 << 20 };
        using ObjectPile pile = ObjectPile.Open(Path, Options with { Files = files, DiskReserveBytes = 4 << 20, WritersMax = 1 });

        Require(DiskLow, Fill, () => pile.Verify());

        void Fill()
        {
            while (pile.TryPutBytes(new byte[1000], out _) == PileStatus.Ok)
            {
            }
        }
    }

    [Fact]
    public void AnOpenThatCanNotSetAsideWhatWasAskedForSaysSo()
    {
        using var files = new SimulatedFiles { CapacityBytes = 16 << 20 };
        ObjectPile? pile = null;
        Require(PreallocationShort, () => pile = ObjectPile.Open(Path, Options with { Files = files, PreallocationBytes = 32 << 20 }), static () => { });
        Assert.InRange(pile!.GetStatistics().SegmentBytes, 8 << 20, 16 << 20);
        pile!.Dispose();
    }

    [Fact]
    public async Task EventsKeepTheirOrderAndNoMoreWaitThanAreLetTo()
    {
        // What piles of tests before have still to tell takes of the same room.
        await EventsAside.Written;
        using var goesOn = new ManualResetEventSlim();
        using var listener = new Caller(ObjectCorrupted, () => Assert.True(goesOn.Wait(TimeSpan.FromMinutes(1))));
        List<int> written = [];
        for (int index = 0; index < Limits.EventsWaitingMax + 10; index++)
        {
            int told = index;
            EventsAside.Tell(EventLevel.Error, () =>
            {
                PileEventSource.Log.ObjectCorrupted(0, told);
                written.Add(told);
            });
        }

        goesOn.Set();
        await EventsAside.Written;
        Assert.InRange(written.Count, Limits.EventsWaitingMax - listener.Others, Limits.EventsWaitingMax);
        Assert.Equal(Enumerable.Range(0, written.Count), written);

        EventsAside.Tell(EventLevel.Error, () => written.Add(-1));
        await EventsAside.Written;
        Assert.Equal(-1, written[^1]);
    }

    private static void RequireAtOpen(int id, Func<ObjectPile> open)
    {
        var opened = new TaskCompletionSource<ObjectPile>();
        Require(id, () => opened.SetResult(open()), () => opened.Task.Result.Verify());
        opened.Task.Result.Dispose();
    }

    /// <summary>Causes an event, and requires that a call from there returns.</summary>
    private static void Require(int id, Action cause, Action call)
    {
        using var called = new ManualResetEventSlim();
        using var listener = new Caller(id, () =>
        {
            call();
            called.Set();
        });
        OwnThread causing = OwnThread.Start(cause);
        Assert.True(called.Wait(TimeSpan.FromMinutes(1)), "the call from the event waits");
        causing.Join();
    }

    /// <summary>Does something when it first hears of an event.</summary>
    private sealed class Caller(int id, Action call) : EventListener
    {
        private int _calls;
        private int _others;

        /// <summary>Events of piles, which the tests' own are not.</summary>
        internal int Others => Volatile.Read(ref _others);

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Pile")
            {
                EnableEvents(eventSource, EventLevel.Warning);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventId != id || eventData.Payload is [long and not 0, ..])
            {
                _ = Interlocked.Increment(ref _others);
            }

            if (eventData.EventId == id && Interlocked.Increment(ref _calls) == 1)
            {
                call();
            }
        }
    }
}
