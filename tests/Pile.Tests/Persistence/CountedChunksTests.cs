using System.Collections.Generic;
using Pile.Persistence;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class CountedChunksTests
{
    [Theory]
    [InlineData(2)]
    [InlineData(FileLimits.TablePieceSlots)]
    [InlineData(FileLimits.TablePieceSlots + 1)]
    [InlineData((3 * FileLimits.TablePieceSlots) + 77)]
    public void TheChunksAreAllSlotsOnce(uint slots)
    {
        var chunks = new CountedChunks(slots);
        List<uint> ends = [Limits.FirstSlot];
        while (chunks.TryTake(out uint first, out uint end))
        {
            Assert.Equal(ends[^1], first);
            Assert.True(first < end);
            ends.Add(end);
        }

        Assert.Equal(slots, ends[^1]);
        Assert.False(chunks.TryTake(out _, out _));
    }

    [Fact]
    public void ASlotIsCountedOnceItsChunkIsPastIt()
    {
        const uint Second = FileLimits.TablePieceSlots;
        var chunks = new CountedChunks(Second + 10);
        Assert.False(chunks.HasPassed(Second));
        chunks.Pass(Second);
        Assert.True(chunks.HasPassed(Second));
        Assert.False(chunks.HasPassed(Second + 1));
        Assert.False(chunks.HasPassed(1));
        chunks.Pass(Second - 1);
        Assert.True(chunks.HasPassed(1));
        Assert.True(chunks.HasPassed(Second - 1));
        chunks.Pass(Second + 9);
        Assert.True(chunks.HasPassed(Second + 9));
        Assert.False(chunks.HasPassed(Second + 10));
    }
}
