using Pile.Primitives;
using Pile.Tests.Faults;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability.Kill;

/// <summary>Kills that do not notice a planted fault of durability would not notice the same mistake made by accident.</summary>
[Trait("Category", "Crash")]
public sealed class KillFaultTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData("EntryBeforePayload", StopPoint.PayloadWritten)]
    [InlineData("NotRolledForward", StopPoint.HeaderWritten)]
    [InlineData("TombstoneDropped", StopPoint.SegmentFreed)]
    [InlineData("TrustedEarly", StopPoint.RecoveryTable)]
    [InlineData("VersionKept", StopPoint.UpdateSwung)]
    public void APlantedFaultIsNoticedByTheKills(string fault, object point)
    {
        using var plan = new KillPlan(seed: 60, arguments => FaultProgram.Start(fault, arguments));
        ModelMismatchException noticed = Assert.Throws<ModelMismatchException>(() =>
        {
            for (int kill = 0; kill < 40; kill++)
            {
                _ = plan.KillAt((StopPoint)point);
                plan.KillAnyTime();
            }

            plan.EndRun();
        });

        output.WriteLine($"after {plan.Kills} kills: {noticed.Message}");
    }
}
