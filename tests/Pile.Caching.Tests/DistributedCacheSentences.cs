using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Each sentence of the public documentation of IDistributedCache, IBufferDistributedCache, their options and extensions that says how
/// they behave, in all forms in which they can be called.</summary>
public abstract class DistributedCacheSentences
{
    private static readonly byte[] _value = [1, 2, 3, 0, 255];
    public static TheoryData<DoorForm> Forms => [.. Enum.GetValues<DoorForm>()];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>The cache under test; its table is <c>distributed</c>.</summary>
    private protected abstract IBufferDistributedCache Door { get; }

    /// <summary>Its clock.</summary>
    private protected abstract ManualClock Clock { get; }

    /// <summary>Whether the table has an entry, asked without using it.</summary>
    private protected abstract bool Contains(string key);

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task GetsAValueWithTheGivenKeyTheLocatedValueOrNull(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        Assert.Null(await door.GetAsync("a", Cancel));
        await door.SetAsync("a", _value, null, Cancel);
        await door.SetAsync("b", [], null, Cancel);

        Assert.Equal(_value, await door.GetAsync("a", Cancel));
        Assert.Empty((await door.GetAsync("b", Cancel))!);
        Assert.Null(await door.GetAsync("A", Cancel));
        Assert.Null(await door.GetAsync("", Cancel));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task SetsAValueWithTheGivenKeySetsOrOverwritesACacheItem(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("a", [9, 9, 9, 9, 9, 9, 9, 9], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(1) }, Cancel);
        await door.SetAsync("a", _value, null, Cancel);
        Clock.Move(TimeSpan.FromDays(365));

        // The former value's end is not the new one's.
        Assert.Equal(_value, await door.GetAsync("a", Cancel));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task RefreshesAValueBasedOnItsKeyResettingItsSlidingExpirationTimeoutIfAny(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("slides", _value, new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(2) }, Cancel);
        await door.SetAsync("ends", _value, new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(2) }, Cancel);
        await door.RefreshAsync("none", Cancel);
        for (int minute = 0; minute < 5; minute++)
        {
            Clock.Move(TimeSpan.FromMinutes(1));
            await door.RefreshAsync("slides", Cancel);
            await door.RefreshAsync("ends", Cancel);
        }

        Assert.Equal(_value, await door.GetAsync("slides", Cancel));
        Assert.Null(await door.GetAsync("ends", Cancel));
        Assert.Null(await door.GetAsync("none", Cancel));
        Clock.Move(TimeSpan.FromMinutes(2));
        Assert.Null(await door.GetAsync("slides", Cancel));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task RemovesTheValueWithTheGivenKey(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("a", _value, null, Cancel);
        await door.SetAsync("b", _value, null, Cancel);
        await door.RemoveAsync("a", Cancel);
        await door.RemoveAsync("a", Cancel);

        Assert.Null(await door.GetAsync("a", Cancel));
        Assert.Equal(_value, await door.GetAsync("b", Cancel));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task TheTokenPropagatesNotificationsThatTheOperationShouldBeCanceled(DoorForm form)
    {
        var cancelled = new CancellationToken(canceled: true);
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("a", _value, null, Cancel);
        if (form is DoorForm.Async or DoorForm.BufferAsync)
        {
            Assert.Equal(cancelled, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => door.GetAsync("a", cancelled))).CancellationToken);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => door.SetAsync("a", [], null, cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => door.RefreshAsync("a", cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => door.RemoveAsync("a", cancelled));
        }

        Assert.Equal(_value, await door.GetAsync("a", Cancel));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task AnAbsoluteExpirationDateForTheCacheEntry(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("a", _value, new DistributedCacheEntryOptions().SetAbsoluteExpiration(Clock.GetUtcNow().AddMinutes(1).ToOffset(TimeSpan.FromHours(5))), Cancel);
        await AssertEndsAfterAMinuteAsync(door);

        await door.SetAsync("a", _value, null, Cancel);
        await door.SetAsync("a", _value, new DistributedCacheEntryOptions { AbsoluteExpiration = Clock.GetUtcNow() }, Cancel);
        Assert.Null(await door.GetAsync("a", Cancel));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task AnAbsoluteExpirationTimeRelativeToNow(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("a", _value, new DistributedCacheEntryOptions().SetAbsoluteExpiration(TimeSpan.FromMinutes(1)), Cancel);
        await AssertEndsAfterAMinuteAsync(door);
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task HowLongACacheEntryCanBeInactiveBeforeItWillBeRemoved(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("a", _value, new DistributedCacheEntryOptions().SetSlidingExpiration(TimeSpan.FromMinutes(1)), Cancel);
        Clock.Move(TimeSpan.FromSeconds(59));
        Assert.NotNull(await door.GetAsync("a", Cancel));

        // That was an access: it can be inactive for a minute from here.
        await AssertEndsAfterAMinuteAsync(door);
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task SlidingWillNotExtendTheEntryLifetimeBeyondTheAbsoluteExpirationIfSet(DoorForm form)
    {
        var door = new DistributedDoor(Door, form);
        await door.SetAsync("a", _value, new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromSeconds(40), AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(1) }, Cancel);
        Clock.Move(TimeSpan.FromSeconds(30));
        Assert.NotNull(await door.GetAsync("a", Cancel));
        await door.RefreshAsync("a", Cancel);
        Clock.Move(TimeSpan.FromSeconds(30));

        Assert.Null(await door.GetAsync("a", Cancel));
    }

    [Fact]
    public void TheTargetIsWrittenTheCacheContentsOnSuccessTrueIfFoundFalseOtherwise()
    {
        var writer = new System.Buffers.ArrayBufferWriter<byte>();
        Assert.False(Door.TryGet("a", writer));
        Assert.Equal(0, writer.WrittenCount);
        Door.Set("a", _value);

        Assert.True(Door.TryGet("a", writer));
        Assert.True(Door.TryGet("a", writer));
        Assert.Equal([.. _value, .. _value], writer.WrittenSpan);
    }

    [Fact]
    public async Task TheSequenceIsStoredWhateverItsShape()
    {
        byte[] bytes = [.. Enumerable.Range(0, 3000).Select(static index => (byte)(index * 7))];
        foreach (int[] cuts in (int[][])[[], [0], [1], [1500, 1500], [1, 2, 3, 2999], [3000], [0, 0, 3000]])
        {
            Door.Set("a", TestSequence.Of(bytes, cuts), new DistributedCacheEntryOptions());
            Assert.Equal(bytes, Door.Get("a"));
            await Door.SetAsync("b", TestSequence.Of(bytes, cuts).Slice(10, 2900), new DistributedCacheEntryOptions(), Cancel);
            Assert.Equal(bytes[10..2910], await Door.GetAsync("b", Cancel));
        }

        Door.Set("a", default(System.Buffers.ReadOnlySequence<byte>), new DistributedCacheEntryOptions());
        Assert.Empty(Door.Get("a")!);
    }

    [Fact]
    public async Task KeyOrValueIsNullAnArgumentNullException()
    {
        Assert.Equal("key", Assert.Throws<ArgumentNullException>(() => Door.Get(null!)).ParamName);
        Assert.Throws<ArgumentNullException>(() => Door.Set(null!, _value));
        Assert.Throws<ArgumentNullException>(() => Door.Set("a", (byte[])null!));
        Assert.Throws<ArgumentNullException>(() => Door.Set("a", _value, null!));
        Assert.Throws<ArgumentNullException>(() => Door.SetString("a", null!));
        Assert.Throws<ArgumentNullException>(() => Door.SetString(null!, "v"));
        Assert.Throws<ArgumentNullException>(() => Door.Refresh(null!));
        Assert.Throws<ArgumentNullException>(() => Door.Remove(null!));
        Assert.Throws<ArgumentNullException>(() => Door.TryGet("a", null!));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await Door.GetAsync(null!, Cancel));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await Door.SetAsync(null!, _value, Cancel));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await Door.SetStringAsync("a", null!, Cancel));
    }

    [Fact]
    public async Task GetsAStringWithTheSpecifiedKeyAsItWasSet()
    {
        Door.SetString("a", "\u00e4\u20ac \U0001F600");
        Assert.Equal("\u00e4\u20ac \U0001F600", Door.GetString("a"));
        await Door.SetStringAsync("a", "", new DistributedCacheEntryOptions(), Cancel);
        Assert.Equal("", await Door.GetStringAsync("a", Cancel));
        Assert.Null(await Door.GetStringAsync("b", Cancel));
    }

    private async Task AssertEndsAfterAMinuteAsync(DistributedDoor door)
    {
        // Not looked at before, for a look is an access.
        Clock.Move(TimeSpan.FromMinutes(1) - TimeSpan.FromTicks(1));
        Assert.True(Contains("a"));
        Clock.Move(TimeSpan.FromTicks(1));
        Assert.Null(await door.GetAsync("a", Cancel));
    }
}
