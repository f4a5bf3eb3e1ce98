using System;
using Xunit;

namespace Pile.Tests.Model;

[Trait("Category", "Model")]
public sealed class EpochLitmusTests(ITestOutputHelper output)
{
    private const int Seed = 301;
    private const int Rounds = 100_000;
    private const int ControlBatches = 40;

    [Fact]
    public void AReaderThatSawTheOldObjectIsNeverTakenForGone()
    {
        (int forbidden, int quick) = EpochLitmus.RunWithBarrier(Seed, Rounds);

        output.WriteLine($"{quick:N0} of {Rounds:N0} rounds in which both threads ran");
        Assert.Equal(0, forbidden);
    }

    [Fact]
    public void TheSameLitmusCatchesAProtocolWithoutTheBarrier()
    {
        // Without a second core, or on one that never lets a load pass a store, the litmus above has shown nothing.
        Assert.SkipUnless(Environment.ProcessorCount > 1, "inconclusive: the litmus needs two cores");
        int caught = 0;
        int quick = 0;
        int batch = 0;
        for (; batch < ControlBatches && caught == 0 && quick < EpochLitmus.ConclusiveRounds; batch++)
        {
            (caught, int quickOfBatch) = EpochLitmus.RunWithoutBarrier(Seed + batch, Rounds);
            quick += quickOfBatch;
        }

        string said = $"{caught} in batch {batch} of {Rounds:N0} rounds, seed {Seed + batch - 1}, {quick:N0} rounds in which both threads ran";
        output.WriteLine(said);
        Assert.SkipUnless(caught > 0 || quick >= EpochLitmus.ConclusiveRounds, $"inconclusive: the threads seldom ran at the same time ({said})");
        Assert.True(caught > 0, $"a reader that passed its own store was never seen: the litmus proves nothing on this machine ({said})");
    }
}
