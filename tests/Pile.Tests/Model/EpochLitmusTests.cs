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
        Assert.Equal(0, EpochLitmus.RunWithBarrier(Seed, Rounds));
    }

    [Fact]
    public void TheSameLitmusCatchesAProtocolWithoutTheBarrier()
    {
        // Without a second core, or on one that never lets a load pass a store, the litmus above has shown nothing.
        Assert.SkipUnless(Environment.ProcessorCount > 1, "inconclusive: the litmus needs two cores");
        int caught = 0;
        int batch = 0;
        for (; batch < ControlBatches && caught == 0; batch++)
        {
            caught = EpochLitmus.RunWithoutBarrier(Seed + batch, Rounds);
        }

        output.WriteLine($"{caught} in batch {batch} of {Rounds:N0} rounds, seed {Seed + batch - 1}");
        Assert.True(caught > 0, $"inconclusive: a reader that passed its own store was not seen in {ControlBatches * Rounds:N0} rounds (seeds {Seed} to {Seed + ControlBatches - 1}), so the litmus proves nothing on this machine");
    }
}
