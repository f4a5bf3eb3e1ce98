using Xunit;

namespace Pile.Tests.Durability.Cuts;

/// <summary>A device that fails a sync: once, at each sync of a run in turn.</summary>
[Trait("Category", "Crash")]
public sealed class SyncFailureTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(206)]
    public void AFailedSyncEndsAllWritingAndWhatTheNextProcessCommitsSurvivesACut(int seed)
    {
        int sync = 0;
        while (new SyncFailureRun(seed, ++sync).TryRun())
        {
        }

        Assert.True(sync > 3, $"{sync - 1} syncs failed");
    }
}
