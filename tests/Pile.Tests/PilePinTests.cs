using System;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tests;

public sealed class PilePinTests
{
    /// <summary>What waits for a pin and not for readers brings no barrier: else every deletion beside a long pin would pay for one.</summary>
    [Fact]
    public void ALargeObjectThatIsPinnedMakesNobodyReclaimAgainAndAgain()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { BackgroundCleaning = false });
        PilePointer large = pile.PutBytes(new byte[3 << 20]);
        PilePin pin = pile.Pin(large);
        Assert.True(pile.Delete(large));
        Assert.True(pile.Core.Large.RetiredBytes > 0);
        _ = pile.Delete(pile.Put("small"));
        Assert.False(pile.Core.Large.ShouldReclaim);
        pin.Dispose();
        Assert.True(pile.Core.Large.Reclaim(waitMs: 0) > 0);
        Assert.Equal(0, pile.Core.Large.RetiredBytes);
    }

    [Fact]
    public async Task APinCrossesAwaitsAndThreadsAndKeepsItsBytes()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("pinned");
        using PilePin pin = pile.It.Pin(pointer);
        await Task.Yield();
        byte[] elsewhere = await Task.Run(() => pin.Memory.ToArray(), TestContext.Current.CancellationToken);

        Assert.Equal("pinned"u8.ToArray(), elsewhere);
        Assert.Equal((6, PileKind.NarrowString), (pin.Length, pin.Kind));
        ReadOnlyMemory<byte> kept = pin.Memory;
        await Task.Run(pin.Dispose, TestContext.Current.CancellationToken);
        Assert.Equal(0, pile.Statistics.Pins);
        Assert.Contains("a PilePin that has ended", Assert.Throws<ObjectDisposedException>(() => kept.Span.Length).Message, StringComparison.Ordinal);
        pin.Dispose();
        Assert.Equal(0, pile.Statistics.Pins);
        Assert.Throws<ObjectDisposedException>(() => pin.Memory);
        Assert.Throws<ObjectDisposedException>(() => pin.Bytes.Length);
    }

    [Fact]
    public void APinThatCannotBeHadIsToldWithoutAnException()
    {
        using var pile = new CheckedPile();
        using var other = new CheckedPile();
        PilePointer pointer = pile.It.PutString("pinned");
        Assert.True(pile.It.TryPin(pointer, out PilePin? pin, out PileStatus status));
        Assert.Equal(("pinned", PileStatus.Ok, 1), (System.Text.Encoding.Latin1.GetString(pin.Bytes), status, (int)pile.Statistics.Pins));
        pin.Dispose();
        Assert.False(other.It.TryPin(pointer, out pin, out status));
        Assert.Equal((null, PileStatus.WrongPile), (pin, status));
        Assert.True(pile.It.Delete(pointer));
        Assert.False(pile.It.TryPin(pointer, out pin, out status));
        Assert.Equal((null, PileStatus.Stale, 0), (pin, status, (int)pile.Statistics.Pins));
        ObjectPile disposed = ObjectPile.Create(PileOptions.Tiny);
        pointer = disposed.PutString("gone");
        disposed.Dispose();
        Assert.False(disposed.TryPin(pointer, out pin));
        Assert.Null(pin);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    public void APinKeepsItsBytesThroughUpdateDeleteCleaningAndClear(int bytes)
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 3 << 20 });
        byte[] first = new byte[bytes];
        new Random(1).NextBytes(first);
        PilePointer pointer = pile.It.PutBytes(first);
        using PilePin pin = pile.It.Pin(pointer);
        ReadOnlyMemory<byte> memory = pin.Memory;

        for (int round = 0; round < 3000; round++)
        {
            pile.It.UpdateBytes(pointer, new byte[1000]);
        }

        Assert.True(pile.Statistics.CleanerPasses > 0);
        Assert.True(pin.Bytes.SequenceEqual(first));
        Assert.True(pile.It.Delete(pointer));
        pile.It.Clear();
        for (int round = 0; round < 3000; round++)
        {
            Assert.True(pile.It.Delete(pile.It.PutBytes(new byte[1000])));
        }

        Assert.True(memory.Span.SequenceEqual(first));
        Assert.Equal(1, pile.Statistics.Pins);
        pile.AssertGood();
    }

    [Fact]
    public void APinnedSegmentIsReusedOnceThePinIsGone()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1 });
        PilePointer pointer = pile.It.PutBytes(new byte[1000]);
        PilePin pin = pile.It.Pin(pointer);
        for (int round = 0; round < 200; round++)
        {
            pile.It.UpdateBytes(pointer, new byte[1000]);
        }

        Assert.True(pile.It.Delete(pointer));
        pile.It.Clear();
        Assert.Equal(1, pile.Statistics.RetiredSegments);
        pin.Dispose();
        pile.It.Clear();
        Assert.Equal(0, pile.Statistics.RetiredSegments);
        Assert.Equal(0, pile.Statistics.LiveBytes);
    }

    [Fact]
    public void APinOfAStalePointerIsRefusedAndNotCounted()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("gone");
        Assert.True(pile.It.Delete(pointer));

        Assert.Throws<PileStaleException>(() => pile.It.Pin(pointer));
        Assert.Equal(0, pile.Statistics.Pins);
    }
}
