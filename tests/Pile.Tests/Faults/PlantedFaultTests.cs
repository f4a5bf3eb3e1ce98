using Xunit;

namespace Pile.Tests.Faults;

/// <summary>A suite that does not notice a planted fault would not notice the same mistake made by accident.</summary>
[Trait("Category", "Model")]
public sealed class PlantedFaultTests(ITestOutputHelper output)
{
    private const int Noticed = 1;
    private const int Inconclusive = 3;

    [Fact]
    public void WithoutAFaultTheScenariosNoticeNothing()
    {
        (int exitCode, string said) = FaultProgram.Run("", rounds: 1);

        Assert.True(exitCode == 0, said);
    }

    [Theory]
    [InlineData("EntryBeforePayload", 6, "wrong content")]
    [InlineData("ReuseEarly", 6, "")]
    [InlineData("GenerationKept", 1, "pointer issued twice")]
    [InlineData("DeadNotCounted", 1, "verify")]
    [InlineData("PlainSwing", 60, "", "shared")]
    [InlineData("PinsIgnored", 2, "pinned bytes changed")]
    [InlineData("RoleBeforeWriters", 1, "InvalidOperationException")]
    [InlineData("CrcNotCompared", 2, "", "flips")]
    [InlineData("CrcNotCompared", 2, "", "cuts")]
    [InlineData("EntryBeforePayload", 2, "", "cuts")]
    [InlineData("TombstoneDropped", 2, "", "cuts")]
    [InlineData("ReuseUnflushed", 4, "", "cuts")]
    [InlineData("RetiredBelieved", 8, "", "cuts")]
    [InlineData("AppendedToOld", 8, "", "cuts")]
    [InlineData("NotWrittenAgain", 6, "state", "failed syncs")]
    [InlineData("SyncSkipped", 20, "", "cuts")]
    [InlineData("SlotReissuedEarly", 60, "pointer issued twice", "cuts")]
    [InlineData("RecoveryNotCounted", 40, "pointer issued twice", "cuts")]
    [InlineData("CacheLockSkipped", 20, "", "cache with threads")]
    [InlineData("CacheKeyNotCompared", 1, "", "cache")]
    [InlineData("GhostTaken", 2, "not stored", "cache")]
    [InlineData("EndBeforeEpoch", 200, "", "cache with threads")]
    [InlineData("CacheMovedBlindly", 60, "", "cache with threads")]
    [InlineData("CacheCutBelieved", 4, "", "cache restarts")]
    [InlineData("CacheHomeForgotten", 20, "verify", "cache restarts")]
    [InlineData("CacheFactsKept", 4, "", "cache restarts")]
    [InlineData("CacheNotCounted", 2, "verify", "cache restarts")]
    [InlineData("CacheFlightsNotShared", 2, "called twice", "cache behaviours")]
    [InlineData("CacheStampTakenLate", 1, "removed shown", "cache behaviours")]
    [InlineData("CacheTagsBelieved", 2, "removed came back", "cache behaviours")]
    [InlineData("CacheUseNotCarried", 1, "use", "cache uses")]
    [InlineData("CacheEndNotLookedAgain", 1, "use", "cache uses")]
    [InlineData("CacheEraForgotten", 1, "clear", "durable cache restarts")]
    [InlineData("CacheRemovalForgotten", 2, "", "durable cache restarts")]
    [InlineData("CacheNamesNotCounted", 1, "", "cache pointers")]
    [InlineData("CacheSharedFreedEarly", 1, "lost", "cache pointers")]
    [InlineData("CacheUnflushedShared", 1, "lost", "cache pointers")]
    [InlineData("NoBarrier", 40, "litmus", "litmus")]
    public void APlantedFaultIsNoticedByTheScenarios(string fault, int rounds, string detector, string scenario = "")
    {
        (int exitCode, string said) = FaultProgram.Run(fault, rounds, scenario);

        output.WriteLine(said);
        Assert.SkipWhen(exitCode == Inconclusive, $"inconclusive: {fault} could not be seen: {said}");
        Assert.True(exitCode != 0, $"{fault} was not noticed in {rounds} rounds, so they prove nothing about it: {said}");
        Assert.Equal(Noticed, exitCode);
        Assert.Contains($"caught by [{detector}", said, System.StringComparison.Ordinal);
    }
}
