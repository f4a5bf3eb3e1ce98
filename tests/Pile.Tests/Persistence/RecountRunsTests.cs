using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Linq;
using System.Threading;
using Pile.Primitives;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>What of a pile nobody has counted yet: the runs of large objects, and what is dead of a full one.</summary>
[Collection(Alone.Name)]
public sealed class RecountRunsTests : IDisposable
{
    private const long FullBytes = 16 << 20;
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ALargeObjectThatGoesBeforeItIsCountedGivesItsPagesBackOnce(bool isDeleted)
    {
        PilePointer large;
        byte tag;
        using (ObjectPile filled = Open())
        {
            // More slots than are counted before an open returns.
            Assert.All(Enumerable.Range(0, FileLimits.RecountSlots + 1), _ => Assert.False(filled.PutBytes([1]).IsNull));
            large = filled.PutBytes(new byte[100_000]);
            tag = filled.Tag;
        }

        using var counting = new ManualResetEventSlim();
        using var listener = new Holding(tag, counting);
        using ObjectPile pile = Open();
        try
        {
            if (isDeleted)
            {
                Assert.True(pile.Delete(large));
            }
            else
            {
                pile.UpdateBytes(large, [1]);
            }

            Assert.False(pile.GetStatistics().IsCounted);
        }
        finally
        {
            counting.Set();
        }

        Assert.Empty(pile.Verify().Findings);
        pile.Commit();
        _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        PileStatistics statistics = pile.GetStatistics();
        Assert.Equal((0, 0), (statistics.LargeObjects, statistics.LargeBytes));
        Assert.Empty(pile.Verify().Findings);
    }

    /// <summary>What is dead of before, and which slots are free, is known when everything is counted; which who listens may hold up.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WhoFindsAFullPileFullHasItCountedInsteadOfBeingRefused(bool isHeldUp)
    {
        byte tag;
        List<PilePointer> all = [];
        using (ObjectPile filled = Open(FullBytes))
        {
            tag = filled.Tag;
            while (filled.TryPutBytes(new byte[1000], out PilePointer pointer) == PileStatus.Ok)
            {
                all.Add(pointer);
            }
        }

        Assert.True(all.Count > FileLimits.RecountSlots, $"{all.Count} objects are counted before an open returns");
        using var counting = new ManualResetEventSlim(initialState: !isHeldUp);
        using var listener = new Holding(tag, counting);
        using ObjectPile pile = Open(FullBytes);
        try
        {
            foreach (PilePointer pointer in all.Take(all.Count / 2))
            {
                Assert.True(pile.Delete(pointer));
            }

            for (int put = 0; put < all.Count / 4; put++)
            {
                _ = pile.PutBytes(new byte[1000]);
            }

            Assert.True(pile.GetStatistics().IsCounted);
        }
        finally
        {
            counting.Set();
        }

        Assert.Equal((all.Count - (all.Count / 2) + (all.Count / 4), 0), (pile.GetStatistics().Objects, pile.GetStatistics().Refusals));
        Assert.Empty(pile.Verify().Findings);
    }

    private ObjectPile Open(long limitBytes = 256 << 20) => ObjectPile.Open(_directory.Path, new PileOptions { DiskLimitBytes = limitBytes, FlushInterval = TimeSpan.FromHours(1) });

    /// <summary>A listener whom a pile is shown only when it is let: its recount begins after that.</summary>
    private sealed class Holding(byte tag, ManualResetEventSlim counting) : EventListener
    {
        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Pile")
            {
                EnableEvents(eventSource, EventLevel.Informational);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventName == "PileOpened" && (long)eventData.Payload![0]! == tag)
            {
                Assert.True(counting.Wait(TimeSpan.FromMinutes(1)));
            }
        }
    }
}
