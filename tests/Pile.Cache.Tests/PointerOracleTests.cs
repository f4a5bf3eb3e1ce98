using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Lives of caches in files whose entries share objects, beside a model.</summary>
[Trait("Category", "Model")]
public sealed class PointerOracleTests(ITestOutputHelper output)
{
    [Fact]
    public void ObjectsThatEntriesShareGoWithTheLastKeyAndNeverBeforeWhateverStops()
    {
        int within = 0;
        Parallel.For(0, 8, life =>
        {
            var run = new PointerRun(Seeds.Next(500 + life));
            run.Run(sessions: 12, steps: 200);
            _ = Interlocked.Add(ref within, run.Within);
        });

        output.WriteLine($"{within} kills and cuts within a call");
        Assert.True(within > 0);
    }
}
