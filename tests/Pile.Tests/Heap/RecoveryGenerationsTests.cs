using Pile.Format;
using Pile.Heap;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>What a file says of recoveries never lets generations begin anew.</summary>
public sealed class RecoveryGenerationsTests
{
    [Theory]
    [InlineData(uint.MaxValue, true)]
    [InlineData(uint.MaxValue, false)]
    [InlineData(EntryWord.GenerationLast - 1, true)]
    public void NoCountOfAFileBeginsAnew(uint found, bool isReusedAtOnce) =>
        Assert.Equal(EntryWord.GenerationLast - 1, RecoveryGenerations.CountOf(core: null!, found, isCrawled: true, isReusedAtOnce, isLoss: false));
}
