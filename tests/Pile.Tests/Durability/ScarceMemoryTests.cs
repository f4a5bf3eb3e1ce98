// Flushes in a process that has no managed memory for a moment: each call of the files throws OutOfMemoryException in turn, as what is
// allocated before it may. Nothing is acknowledged by such a flush, the next one does it all, and what was acknowledged is there after a cut.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using Pile.Persistence;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Want of memory within flushes.</summary>
public sealed class ScarceMemoryTests
{
    private const string Path = "/above/pile";

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task APileGoesOnAfterAMomentWithoutMemoryInItsFlushAndLosesNothingAcknowledged(int times)
    {
        HashSet<string> incomplete = [];
        int poisoned = 0;
        bool isOver = false;
        for (int at = 1; !isOver; at++)
        {
            int calls = 0;
            using var files = new SimulatedFiles();
            ObjectPile pile = ObjectPile.Open(Path, Options(files));
            Dictionary<PilePointer, string> kept = [];
            Dictionary<PilePointer, string> acknowledged = [];
            string wanted = string.Empty;
            for (int round = 0; round < 4; round++)
            {
                Store(pile, kept, $"round {round}");
                files.AtCall = call =>
                {
                    calls++;
                    if (calls >= at && calls < at + times)
                    {
                        wanted = calls == at ? call : wanted;
                        throw new InsufficientMemoryException("the test wants it so");
                    }
                };
                Exception? told = round % 2 == 0
                    ? Record.Exception(pile.Commit)
                    : await Record.ExceptionAsync(() => pile.CommitAsync(TestContext.Current.CancellationToken).AsTask());
                files.AtCall = null;
                if (told is PilePoisonedException)
                {
                    // Only where a sync had begun, whose end nobody knows.
                    Assert.StartsWith("fdatasync /above/pile/extents/", wanted, StringComparison.Ordinal);
                    Assert.Contains("memory", told.Message, StringComparison.Ordinal);
                    Assert.DoesNotContain("device,", told.Message, StringComparison.Ordinal);
                    poisoned++;
                    break;
                }

                Assert.True(told is null or OutOfMemoryException, $"{told}");
                if (told is null)
                {
                    acknowledged = new(kept);
                }
                else
                {
                    _ = incomplete.Add(wanted.Split('/')[0] + wanted.Split('/')[^1]);
                }

                RequireThere(files.PowerCut(new Random(at + round)), acknowledged);
            }

            isOver = calls < at;
            if (pile.Durable!.Flusher.Failure is null)
            {
                pile.Commit();
                RequireThere(files.PowerCut(new Random(at)), kept);
                pile.Dispose();
                RequireThere(files, kept);
            }
            else
            {
                _ = Assert.Throws<IOException>(pile.Dispose);
                RequireThere(files, acknowledged);
            }
        }

        Assert.True(poisoned > 0, "no sync was unsure");
        Assert.Superset(new HashSet<string> { "pwrite pile.meta", "fdatasync pile.meta", "madvise 00000001" }, incomplete);
    }

    /// <summary>What was taken for a flush that is not complete is the next one's, too.</summary>
    [Fact]
    public void ExtentsAreDirtyUntilTheyAreSynced()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open(Path, Options(files));
        var regions = (FileRegions)pile.Durable!.Core.Regions;
        _ = pile.Put("stored");
        Segment open = pile.Durable.Core.Directory[0];
        regions.MarkDirty(open.Region);
        ExtentFile taken = Assert.Single(regions.TakeDirty());
        Assert.Same(taken, Assert.Single(regions.TakeDirty()));
        regions.MarkDirty(open.Region);
        Assert.Same(taken, Assert.Single(regions.TakeDirty()));
        regions.NoteSynced();
        Assert.Empty(regions.TakeDirty());
    }

    private static void Store(ObjectPile pile, Dictionary<PilePointer, string> kept, string text)
    {
        for (int index = 0; index < 200; index++)
        {
            string value = $"{text} {index} {new string('x', 500)}";
            kept.Add(pile.Put(value), value);
        }
    }

    private static void RequireThere(SimulatedFiles files, Dictionary<PilePointer, string> values)
    {
        using ObjectPile again = ObjectPile.Open(Path, Options(files));
        foreach ((PilePointer pointer, string value) in values)
        {
            Assert.Equal(value, again.Get<string>(pointer));
        }
    }

    private static PileOptions Options(SimulatedFiles files) =>
        PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false, SegmentBytesMin = 256 << 10, SegmentBytesMax = 256 << 10, WritersMax = 1 };
}
