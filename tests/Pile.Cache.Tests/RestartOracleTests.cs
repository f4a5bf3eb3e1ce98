using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Lives of caches in files, beside a dictionary.</summary>
public sealed class RestartOracleTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void StopsKillsAndCutsLoseAndInventNothing(PileTableKind kind)
    {
        int within = 0;
        Parallel.For(0, 8, life =>
        {
            var run = new RestartRun(Seeds.Next(300 + life), kind);
            run.Run(sessions: 12, steps: 500);
            _ = System.Threading.Interlocked.Add(ref within, run.Within);
        });

        output.WriteLine($"{within} kills within a call");
        Assert.True(within > 0);
    }
}
