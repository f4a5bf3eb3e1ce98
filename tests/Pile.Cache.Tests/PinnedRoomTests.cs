// A pin on what was cleared or deleted holds memory for as long as its holder likes: that memory alone, and nothing else waits for it.
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class PinnedRoomTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APinOfWhatWasClearedKeepsNoEntryFromLeavingForAnother(bool inFiles)
    {
        using TinyCache tiny = new(4 << 20, inFiles: inFiles);
        using PilePin pin = PinCleared(tiny, new byte[200]);
        Assert.Equal(1, tiny.Cache.Pile.GetStatistics().PinnedSegments);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 30_000; key++)
        {
            Assert.True(table.Set(key, new byte[300]).IsStored, $"key {key}");
        }

        Assert.True(tiny.Cache.GetStatistics().Evictions > 0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APinOfALargeObjectThatWasDeletedKeepsNoLargeValueFromLeavingForAnother(bool inFiles)
    {
        using TinyCache tiny = new(8 << 20, inFiles: inFiles);
        PilePointer large = tiny.Cache.Pile.PutBytes(new byte[200_000]);
        using PilePin pin = tiny.Cache.Pile.Pin(large);
        Assert.True(tiny.Cache.Pile.Delete(large));
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 400; key++)
        {
            Assert.True(table.Set(key, new byte[100_000]).IsStored, $"key {key}");
        }

        Assert.True(tiny.Cache.GetStatistics().Evictions > 0);
    }

    [Theory]
    [InlineData(200)]
    [InlineData(200_000)]
    public void APinOfWhatWasClearedKeepsNoPileAboveALimitThatWasLowered(int pinnedBytes)
    {
        using TinyCache tiny = new(8 << 20);
        using PilePin pin = PinCleared(tiny, new byte[pinnedBytes]);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 6000; key++)
        {
            Assert.True(table.Set(key, new byte[1000]).IsStored, $"key {key}");
        }

        tiny.Cache.Pile.MemoryLimitBytes = 3 << 20;
        tiny.Tick(steps: 100);
        Assert.InRange(tiny.Cache.Pile.GetStatistics().UsedBytes, 1, 3 << 20);
    }

    private static PilePin PinCleared(TinyCache tiny, byte[] bytes)
    {
        PilePin pin = tiny.Cache.Pile.Pin(tiny.Cache.Pile.PutBytes(bytes));
        tiny.Cache.Pile.Clear();
        return pin;
    }
}
