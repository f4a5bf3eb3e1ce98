using System;
using System.Threading.Tasks;
using Pile.Client.Near;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>The bound of near caches when the watch is cut, to the tick of a clock that the test moves.</summary>
public sealed class NearBoundTests
{
    private static readonly TimeSpan _tick = TimeSpan.FromTicks(1);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task OfAKilledServerEntriesAreServedUntilTheBoundAndNotATickLonger(bool isServedWhileInterrupted)
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using Fixture near = await Fixture.StartAsync(server.Address, server.Address, isServedWhileInterrupted);
        await near.KeepAsync("a");
        await server.KillAsync();
        await Within.UntilAsync(() => Task.FromResult(near.Cache.GetFigures().Interruptions > 0), "the interruption is noticed");
        if (!isServedWhileInterrupted)
        {
            Assert.Null(near.Table.Staleness);
            Assert.False(near.IsHere("a"));
            return;
        }

        AssertServedToTheTick(near);
        Assert.NotNull(near.Table.WatchFailure);
        _ = await Assert.ThrowsAsync<PileClientException>(async () => await near.Table.GetAsync("a"));
    }

    [Fact]
    public async Task OfAWayThatSwallowsEverythingEntriesAreServedUntilTheBound()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var way = new BlackHole(server.Address);
        await using Fixture near = await Fixture.StartAsync(way.Address, server.Address, isServedWhileInterrupted: true);
        await near.KeepAsync("a");
        way.Cut();
        _ = await near.Other.SetAsync("a", new byte[] { 2 });

        // Nobody has told: the old value is served, within the bound. What was on its way may still move the moment that counts.
        AssertServedToTheTick(near);
        way.Mend();
        await Within.UntilAsync(async () => (await near.TryValueAsync("a"))?[0] == 2, "the new value comes");
    }

    [Fact]
    public async Task AfterABreakItGoesOnWhereItWasAndKeepsWhatIsGood()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        string address;
        await using (var way = new BlackHole(server.Address))
        {
            address = way.Address;
            await using Fixture near = await Fixture.StartAsync(address, server.Address, isServedWhileInterrupted: true);
            await near.KeepAsync("a");
            await near.KeepAsync("b");
            way.Cut();
            _ = await near.Other.SetAsync("a", new byte[] { 2 });
            near.Clock.Move(Fixture.Bound);
            Assert.False(near.IsHere("a") || near.IsHere("b"));

            // The ping of the connection finds that nobody answers; the next stream resumes after the last reply, and its calls begin after the move.
            await Within.UntilAsync(() => Task.FromResult(near.Cache.GetFigures().Interruptions > 0), "the interruption is noticed");
            way.Mend();
            await Within.UntilAsync(() => Task.FromResult(near.Table.Staleness is not null), "entries are served again");
            Assert.False(near.IsHere("a"));
            Assert.True(near.IsHere("b"));
            Assert.Equal(0, near.Cache.GetFigures().Losses);
            Assert.Null(near.Table.WatchFailure);
        }
    }

    [Fact]
    public async Task OfAServerThatWasStartedAnewNothingOldIsServed()
    {
        using var directory = new TemporaryDirectory();
        ServerProcess first = await ServerProcess.StartAsync("--directory", directory.Path);
        await using Fixture near = await Fixture.StartAsync(first.Address, first.Address, isServedWhileInterrupted: true);
        await near.KeepAsync("a");
        await first.DisposeAsync();
        near.Clock.Move(Fixture.Bound);
        await using ServerProcess second = await ServerProcess.StartAsync("--directory", directory.Path, "--listen", first.Address);
        await Within.UntilAsync(() => Task.FromResult(near.Table.Staleness is not null), "entries are served again");
        Assert.False(near.IsHere("a"));
        Assert.Equal(1, near.Cache.GetFigures().Losses);
        await near.KeepAsync("b");
    }

    [Fact]
    public void TheGateIsOpenUntilTheBoundAfterWhatWasTold()
    {
        var clock = new StampClock();
        var gate = new NearGate(clock, Fixture.Bound);
        Assert.False(gate.IsOpen);
        Assert.Null(gate.Staleness);
        Assert.False(gate.Opened.IsCompleted);
        gate.Told(clock.GetTimestamp() - 7);
        Assert.True(gate.Opened.IsCompletedSuccessfully);
        Assert.Equal(TimeSpan.FromTicks(7), gate.Staleness);
        clock.Move(Fixture.Bound - TimeSpan.FromTicks(8));
        Assert.True(gate.IsOpen);
        clock.Move(_tick);
        Assert.False(gate.IsOpen);

        // A server whose clock runs away moves nothing beyond now.
        gate.Told(clock.GetTimestamp() + TimeSpan.TicksPerDay);
        Assert.Equal(TimeSpan.Zero, gate.Staleness);
        gate.Shut();
        Assert.False(gate.IsOpen);
    }

    [Fact]
    public void WhateverTheCoarseClockLagsTheGateShutsAtTheTick()
    {
        // No multiple of the coarse clock's step, told of at each place between two of its steps.
        var bound = TimeSpan.FromMilliseconds(10_005);
        for (int lagMs = 0; lagMs < 32; lagMs++)
        {
            var clock = new StampClock();
            clock.Move(TimeSpan.FromMilliseconds(lagMs));
            var gate = new NearGate(clock, bound);
            gate.Told(clock.GetTimestamp());
            clock.Move(bound - _tick);
            Assert.True(gate.IsOpen);
            clock.Move(_tick);
            Assert.False(gate.IsOpen);
        }
    }

    [Fact]
    public void BySystemTimeTheGateIsOpenOnlyWhileWhatWasToldIsYoungEnough()
    {
        TimeProvider time = TimeProvider.System;
        var gate = new NearGate(time, TimeSpan.FromHours(1));
        gate.Told(time.GetTimestamp() - time.TimestampFrequency);
        Assert.True(gate.IsOpen);
        gate.Shut();
        Assert.False(gate.IsOpen);
        gate.Told(time.GetTimestamp() - (3_600 * time.TimestampFrequency));
        Assert.False(gate.IsOpen);
    }

    // What a test does at a tick before the bound, and at the bound: other ticks pass between only where replies still come.
    private static void AssertServedToTheTick(Fixture near)
    {
        TimeSpan staleness = Assert.NotNull(near.Table.Staleness);
        near.Clock.Move(Fixture.Bound - staleness - _tick);
        Assert.True(near.IsHere("a"));
        near.Clock.Move(_tick);
        Assert.False(near.IsHere("a"));
        Assert.Null(near.Table.Staleness);
    }

    private sealed class Fixture : IAsyncDisposable
    {
        private readonly Near _near;

        private Fixture(Near near) => _near = near;

        internal static TimeSpan Bound => Near.Bound;

        internal PileNearCache Cache => _near.Cache;

        internal PileNearTable Table => _near.Table;

        internal PileClientTable Other => _near.Other;

        internal StampClock Clock => _near.Clock;

        internal static async Task<Fixture> StartAsync(string address, string other, bool isServedWhileInterrupted) =>
            new(await Near.StartAsync(address, other, "", new PileNearOptions { IsServedWhileInterrupted = isServedWhileInterrupted }));

        /// <summary>Stores an entry, and has it here, after the watch has told of it.</summary>
        internal async Task KeepAsync(string key)
        {
            await _near.SetToldAsync(key, [1]);
            _ = await Table.GetAsync(key);
            Assert.True(IsHere(key));
        }

        internal bool IsHere(string key) => Table.TryGet(key, new byte[10], out _);

        internal async Task<byte[]?> TryValueAsync(string key)
        {
            try
            {
                return await Table.GetAsync(key);
            }
            catch (PileClientException failure) when (failure.IsRetrySafe)
            {
                return null;
            }
        }

        public ValueTask DisposeAsync() => _near.DisposeAsync();
    }
}
