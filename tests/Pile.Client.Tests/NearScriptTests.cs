using System;
using System.Threading.Tasks;
using Google.Protobuf;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>A near table step by step, against a server that is the test: what each rule of its order and of its bound protects.</summary>
public sealed class NearScriptTests
{
    [Fact]
    public async Task WhatWasReadBeforeAChangeIsGivenToNobodyAndAKeyThatChangesAllTheTimeIsNotKept()
    {
        await using NearScript near = await NearScript.StartAsync();
        near.OnRead = async number =>
        {
            if (number < 4)
            {
                near.Table.Forget("a");
            }
            else if (number == 4)
            {
                // Another reader's, which counts: what is read here may be newer.
                Assert.Equal([5], await near.Table.GetAsync("a"));
                Assert.True(near.IsKept("a"));
            }

            return Value((byte)number);
        };
        Assert.Equal([4], await Within.AMinuteAsync(near.Table.GetAsync("a").AsTask(), "the read"));
        Assert.Equal(5, near.Reads);
        Assert.False(near.IsKept("a"));
    }

    [Fact]
    public async Task WhatWasKeptBeforeTheWatchBeganIsDroppedByItsFirstReply()
    {
        await using NearScript near = await NearScript.StartAsync();
        near.OnRead = static _ => Task.FromResult(Value(1));
        Assert.Equal([1], await near.Table.GetAsync("a"));
        Assert.True(near.IsKept("a"));
        near.Tell(new V1.WatchReply { ReadUs = 1, Resume = ByteString.CopyFromUtf8("r") });
        await Within.AMinuteAsync(near.Table.Ready, "the watch");
        Assert.False(near.IsKept("a"));
    }

    [Fact]
    public async Task HowOldAnAnswerCanBeGoesByTheServersClockLessAThousandth()
    {
        await using NearScript near = await NearScript.StartAsync();
        await near.TellAsync(readUs: 1_000_000);
        Assert.Equal(TimeSpan.Zero, near.Table.Staleness);
        near.Clock.Move(NearScript.Bound / 2);

        // A reply that was on its way for half of the bound.
        await near.TellAsync(readUs: 1_000_000);
        Assert.Equal(NearScript.Bound / 2, near.Table.Staleness);
        await near.TellAsync(readUs: 1_500_000);
        Assert.InRange(near.Table.Staleness!.Value, NearScript.Bound / 2_000, NearScript.Bound / 1_999);
    }

    [Fact]
    public async Task AWatchIsBegunAnewWhereItWasBeforeThePaceOfTwoClocksCounts()
    {
        await using NearScript near = await NearScript.StartAsync();
        await near.TellAsync(readUs: 1_000_000, "first");
        Assert.Single(near.Watches);
        near.Clock.Move((NearScript.Bound * ClientLimits.NearStreamLife) + TimeSpan.FromTicks(1));
        near.Tell(new V1.WatchReply { ReadUs = 101_000_000, Resume = ByteString.CopyFromUtf8("second") });
        await Within.UntilAsync(() => Task.FromResult(near.Watches.Length == 2), "the next stream");
        Assert.Equal("second", near.Watches[1].Resume.ToStringUtf8());
        Assert.Equal(0, near.Figures.Interruptions);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AWatchThatSaysNothingIsBegunAnew(bool hasSpoken)
    {
        await using NearScript near = await NearScript.StartAsync();
        if (hasSpoken)
        {
            await near.TellAsync(readUs: 1, "last");
        }

        await Within.UntilAsync(() => Task.FromResult(near.Watches.Length == 2), "the next stream");
        Assert.Equal(hasSpoken ? "last" : string.Empty, near.Watches[1].Resume.ToStringUtf8());
    }

    [Fact]
    public async Task OfATableThatIsGoneNothingIsKeptAndTheNextIsWatchedFromItsBeginning()
    {
        await using NearScript near = await NearScript.StartAsync();
        near.OnRead = static _ => Task.FromResult(Value(1));
        await near.TellAsync(readUs: 1);
        Assert.Equal([1], await near.Table.GetAsync("a"));
        Assert.True(near.Table.TryGet("a", new byte[1], out _));
        near.Tell(null);
        await Within.UntilAsync(() => Task.FromResult(near.Watches.Length == 2), "the next stream");
        Assert.Empty(near.Watches[1].Resume);
        Assert.Null(near.Table.Staleness);
        Assert.False(near.IsKept("a"));
    }

    [Fact]
    public async Task TheTimeThatAReadTookIsTakenFromWhatItsEntryHasLeft()
    {
        await using NearScript near = await NearScript.StartAsync();
        near.OnRead = number =>
        {
            // Half of what is left counts; the first read takes a little more than that.
            near.Clock.Move(TimeSpan.FromSeconds(number == 1 ? 301 : 299));
            V1.GetReply reply = Value(1);
            reply.EndsInMs = 600_000;
            return Task.FromResult(reply);
        };
        Assert.Equal([1], await near.Table.GetAsync("a"));
        Assert.False(near.IsKept("a"));
        Assert.Equal([1], await near.Table.GetAsync("a"));
        Assert.True(near.IsKept("a"));
    }

    private static V1.GetReply Value(byte value) => new() { Found = true, Value = ByteString.CopyFrom(value) };
}
