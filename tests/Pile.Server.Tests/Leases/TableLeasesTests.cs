using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Grpc.Core;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Server.Calls;
using Pile.Server.Leases;
using Xunit;

namespace Pile.Server.Tests.Leases;

/// <summary>The leases of a table, by a clock that is moved.</summary>
public sealed class TableLeasesTests
{
    private static readonly byte[] _key = [1, 2, 3];

    [Fact]
    public void ALeaseEndsByTimeAndGivesItsRoomBack()
    {
        var clock = new ManualClock();
        var room = new LeaseRoom(clock);
        var leases = new TableLeases(room);
        KeyLease first = leases.Join(_key, TimeSpan.FromSeconds(10), out bool isNew);
        Assert.True(isNew);
        Assert.Same(first, leases.Join([1, 2, 3], TimeSpan.FromSeconds(10), out isNew));
        Assert.False(isNew);
        Assert.Equal(first.Bytes, room.TakenBytes);
        clock.Move(TimeSpan.FromSeconds(9));
        Assert.False(first.Ended.IsCompleted);
        clock.Move(TimeSpan.FromSeconds(1));

        Assert.True(first.Ended.IsCompleted);
        Assert.Equal((0, 0L, 0), (leases.Count, room.TakenBytes, clock.Waiting));
        Assert.False(leases.End(_key, first.Number));
        Assert.NotEqual(first.Number, leases.Join(_key, TimeSpan.FromSeconds(10), out isNew).Number);
        Assert.True(isNew);
    }

    [Fact]
    public void ALeaseThatFindsNoTimerTakesNoRoom()
    {
        var room = new LeaseRoom(new WithoutTimers());
        var leases = new TableLeases(room);
        _ = Assert.Throws<InsufficientMemoryException>(() => leases.Join(_key, TimeSpan.FromSeconds(10), out _));
        Assert.Equal((0, 0L), (leases.Count, room.TakenBytes));
    }

    [Fact]
    public void LeasesOfAllTablesTogetherAreLimitedByTheirBytes()
    {
        var room = new LeaseRoom(new ManualClock());
        TableLeases[] tables = [new(room), new(room)];
        int made = 0;
        byte[] Next() => [(byte)made, (byte)(made >> 8), .. new byte[ServerLimits.KeyBytesMax - 2]];
        RpcException refused = Assert.Throws<RpcException>(() =>
        {
            for (; made <= ServerLimits.LeaseBytesMax / ServerLimits.KeyBytesMax; made++)
            {
                _ = tables[made % 2].Join(Next(), TimeSpan.FromMinutes(1), out _);
            }
        });

        Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);
        Assert.Equal("100", refused.Trailers.GetValue(CallFailure.RetryTrailer));
        Assert.Equal(made, tables.Sum(static table => table.Count));
        Assert.Equal((long)made * (ServerLimits.LeaseBytes + ServerLimits.KeyBytesMax), room.TakenBytes);
        tables[0].ChangeAll().Dispose();
        tables[1].ChangeAll().Dispose();
        Assert.Equal(0, room.TakenBytes);
        _ = tables[0].Join(Next(), TimeSpan.FromMinutes(1), out _);
    }

    [Fact]
    public void MoreWaitersThanThereMayBeAreRefused()
    {
        var room = new LeaseRoom(new ManualClock());
        for (int waiter = 0; waiter < ServerLimits.LeaseWaitersMax; waiter++)
        {
            room.BeginWait(1);
        }

        Assert.Equal(StatusCode.ResourceExhausted, Assert.Throws<RpcException>(() => room.BeginWait(1)).StatusCode);
        room.EndWait(1);
        room.BeginWait(1);
        Assert.Equal((ServerLimits.LeaseWaitersMax, 2L * ServerLimits.LeaseWaitersMax), (room.Waiting, room.TakenBytes));
    }

    [Fact]
    public void WaitersWithLongKeysAreRefusedWhenTheirKeysFillTheRoom()
    {
        var room = new LeaseRoom(new ManualClock());
        int waiters = (int)(ServerLimits.LeaseBytesMax / (2 * ServerLimits.KeyBytesMax));
        for (int waiter = 0; waiter < waiters; waiter++)
        {
            room.BeginWait(ServerLimits.KeyBytesMax);
        }

        Assert.Equal(StatusCode.ResourceExhausted, Assert.Throws<RpcException>(() => room.BeginWait(ServerLimits.KeyBytesMax)).StatusCode);
        Assert.Equal(waiters, room.Waiting);
        for (int waiter = 0; waiter < waiters; waiter++)
        {
            room.EndWait(ServerLimits.KeyBytesMax);
        }

        Assert.Equal((0, 0L), (room.Waiting, room.TakenBytes));
    }

    [Fact]
    public void ALeaseIsNotGivenToTheNextBeforeTheChangeThatOutdatedItIsMade()
    {
        var leases = new TableLeases(new LeaseRoom(new ManualClock()));
        KeyLease lease = leases.Join(_key, TimeSpan.FromSeconds(10), out _);
        using (leases.Change(_key))
        {
            Assert.Same(lease, leases.Join(_key, TimeSpan.FromSeconds(10), out bool isNew));
            Assert.False(isNew || lease.Ended.IsCompleted || leases.End(_key, lease.Number));
        }

        Assert.True(lease.Ended.IsCompleted);
        _ = leases.Join(_key, TimeSpan.FromSeconds(10), out bool isNext);
        Assert.True(isNext);
    }

    [Fact]
    public void MoreRemovedTagsThanAreRememberedEndAllLeases()
    {
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
        PileTable<byte[], byte[]> entries = cache.GetOrCreateTable<byte[], byte[]>("t");
        var leases = new TableLeases(new LeaseRoom(new ManualClock()));
        leases.ChangeTag("before").Dispose();
        KeyLease lease = leases.Join(_key, TimeSpan.FromSeconds(10), out _);
        leases.ChangeTag("during").Dispose();
        var terms = new PileEntryOptions { Tags = ["before"] };
        Assert.Equal(PileSetOutcome.Inserted, leases.Store(_key, lease.Number, entries, [4], terms).Outcome);
        _ = entries.Remove(_key);

        lease = leases.Join(_key, TimeSpan.FromSeconds(10), out _);
        string tag = new('t', 1_000);
        for (int bytes = 0; bytes <= ServerLimits.RemovedTagsBytesMax && !lease.Ended.IsCompleted; bytes += 2 * tag.Length)
        {
            leases.ChangeTag(tag).Dispose();
        }

        Assert.True(lease.Ended.IsCompleted);
        Assert.Equal(PileSetOutcome.Refused, leases.Store(_key, lease.Number, entries, [5], default).Outcome);
        Assert.False(entries.ContainsKey(_key));
    }

    [Fact]
    public void NumbersAreNeverZeroAndFitADouble()
    {
        HashSet<ulong> numbers = [.. Enumerable.Range(0, 1_000).Select(static _ => LeaseRoom.NewNumber())];
        Assert.Equal(1_000, numbers.Count);
        Assert.All(numbers, static number => Assert.InRange(number, 1ul, (1ul << 53) - 1));
    }

    private sealed class WithoutTimers : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => throw new InsufficientMemoryException("the test wants it so");
    }
}
