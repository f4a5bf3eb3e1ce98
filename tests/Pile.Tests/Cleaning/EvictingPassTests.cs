using System;
using System.Collections.Generic;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Cleaning;

/// <summary>Passes that forget what is still good, before one that must not.</summary>
public sealed class EvictingPassTests
{
    [Fact]
    public void AfterAPassThatThrewWhileItEvictedTheNextOneEvictsNothing()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1, BackgroundCleaning = false });
        var owner = new ThrowingOwner(pile.Core.Directory);
        pile.Core.Own(owner);
        EpochLine line = EpochLine.Current;
        long held = line.Enter(pile.Core.Epochs.WriteWord);
        SegmentWriter<MemoryRecord> writer = pile.Core.Writers.Hold(line);
        Assert.True(writer.EnsureSpace(64, overRatio: true));
        _ = writer.Append(slot: 7, RecordCode.Cache, new BytesPayload(new byte[56]), default);
        writer.Seal();
        writer.Release();
        line.Leave(held);

        pile.Core.Cleaner.EnterRole();
        Assert.Throws<NotSupportedException>(() => pile.Core.Cleaner.Evict(waitMs: 0));
        _ = pile.Core.Cleaner.Pass(wantedSegments: 1, utilisationMax: 1, waitMs: 0);
        pile.Core.Cleaner.ExitRole();
        Assert.Equal([true, false], owner.Asked);
    }

    /// <summary>Throws when it is first asked about a record; the next one it has forgotten.</summary>
    private sealed class ThrowingOwner(SegmentDirectory directory) : IdleOwner
    {
        internal List<bool> Asked { get; } = [];

        public override bool CanEvict => true;

        public override RecordFate Judge(ulong recordWord, long location, Segment segment, bool isEvicting)
        {
            Asked.Add(isEvicting);
            return Asked.Count > 1 ? RecordFate.Dropped : throw new NotSupportedException("the test wants it so");
        }

        public override void OfferEvictions(Victims victims, long roomBytes) => victims.Offer(directory[0], directory[0].WrittenBytes, age: 1);
    }
}
