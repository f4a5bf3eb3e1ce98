// The oracle over both kinds of table, with good hashes and bad ones.
// What it does is OracleRun; the planted faults are held to it too.
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class OracleTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, true)]
    [InlineData(PileTableKind.Speculative, true)]
    public void ATableAgreesWithADictionary(PileTableKind kind, bool hasBadHashes)
    {
        for (int run = 0; run < 4; run++)
        {
            int seed = Seeds.Next(run);
            output.WriteLine($"seed {seed}");
            OracleRun.Run(kind, hasBadHashes, seed, steps: 40_000);
        }
    }

    [Theory]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    [InlineData(PileTableKind.Speculative, false)]
    public void ATableInFilesAgreesWithADictionary(PileTableKind kind, bool hasBadHashes)
    {
        for (int run = 0; run < 2; run++)
        {
            int seed = Seeds.Next(10 + run);
            output.WriteLine($"seed {seed}");
            OracleRun.Run(kind, hasBadHashes, seed, steps: 30_000, inFiles: true);
        }
    }
}
