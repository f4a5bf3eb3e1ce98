using Pile.Compare.Running;
using Xunit;

namespace Pile.Programs.Tests.Compare;

public sealed class VerdictsTests
{
    [Theory]
    [InlineData(20, 8.0, 20.0, false, Verdicts.Reached)]
    [InlineData(8, 8.0, 20.0, false, Verdicts.Met)]
    [InlineData(7.99, 8.0, 20.0, false, Verdicts.Missed)]
    [InlineData(0.2, 0.5, 0.2, true, Verdicts.Reached)]
    [InlineData(0.5, 0.5, 0.2, true, Verdicts.Met)]
    [InlineData(0.51, 0.5, 0.2, true, Verdicts.Missed)]
    [InlineData(3, null, null, false, Verdicts.None)]
    [InlineData(3, 2.0, null, false, Verdicts.Met)]
    public void TheBarsDecide(double ratio, double? must, double? reach, bool atMost, string verdict)
    {
        Assert.Equal(verdict, Verdicts.Of(ratio, must, reach, atMost));
    }
}
