// The run of behaviours that the planted faults are noticed by, without a fault.
// Each behaviour has tests of its own besides: GetOrAddTests, StaleTests, TagTests, TagRestartTests.
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class BehaviourTests
{
    [Fact]
    public void TheBehavioursHoldUnderThreadsAndAcrossAKill()
    {
        for (int round = 0; round < 3; round++)
        {
            BehaviourRun.Run(round);
        }
    }
}
