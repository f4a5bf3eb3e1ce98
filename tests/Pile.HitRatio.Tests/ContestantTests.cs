using System;
using System.Linq;
using Pile.HitRatio.Contestants;
using Xunit;

namespace Pile.HitRatio.Tests;

/// <summary>The algorithms over short sequences that were worked out by hand from the papers: a letter is an object, all of one size; a
/// dot is a miss, an h a hit.</summary>
public sealed class ContestantTests
{
    private const int ValueBytes = 85;
    private const int ChargeBytes = 7;
    private const int CostBytes = 100;

    [Theory]
    [InlineData(3, "a b c a d a", "...h.h")] // a was asked for again: b goes for d
    [InlineData(3, "a b c a d b c", "...h...")]
    [InlineData(1, "a a b a", ".h..")]
    public void LruKeepsWhatWasAskedForLast(int objects, string sequence, string expected) => Assert.Equal(expected, Play("lru", objects, sequence));

    [Theory]
    [InlineData(3, "a b c a d e f a d", "...h...h.")] // the hand goes on from b to c and d, and does not come back to a
    [InlineData(3, "a b c a b c d b c a", "...hhh.hh.")] // all visited: once around, then the oldest
    [InlineData(3, "a b c b c d b c d e d c f g d c e", "...hh.hhh.hh..h..")] // e was the youngest when it went: then from the oldest again
    [InlineData(1, "a a b a", ".h..")]
    public void SieveEvictsWhatWasNotVisitedWhereTheHandStands(int objects, string sequence, string expected) => Assert.Equal(expected, Play("sieve", objects, sequence));

    [Theory]
    [InlineData("a b c d a e a", "....h..")] // the hit in A1in saved nothing
    [InlineData("a b c d e a f g a h a b e e f g a e f", "........h.h..h....h")] // a, e, f come back through A1out; g pushes a out of Am
    public void TwoQueuesKeepsWhatComesBackWhileItIsRemembered(string sequence, string expected) => Assert.Equal(expected, Play("2q", 4, sequence));

    [Theory]
    [InlineData("a b c d e f g h i j a a b k a b", "..........hhh.h.")] // twice visited: main; once: a ghost
    [InlineData("a b c d e f g h i j a a b k a b b c d e f g h i j k c l c a b d", "..........hhh.h.h............hh.")] // ghosts into main; a and b stay for their visit, c and d go
    [InlineData("a b c d e f g h i j a a k b c d e f g h i j k a", "..........hh............")] // the visits of the small queue don't count in main
    public void S3FifoMovesWhatWasVisitedTwiceAndWhatComesBackAsAGhost(string sequence, string expected) => Assert.Equal(expected, Play("s3-fifo", 10, sequence));

    [Theory]
    [InlineData("s3-fifo")]
    [InlineData("lru")]
    [InlineData("sieve")]
    [InlineData("2q")]
    public void AnObjectLargerThanTheCacheIsPassedByAndTouchesNothing(string name)
    {
        using IContestant contestant = Entries.Of(name).Make(new Budget(3 * CostBytes, ChargeBytes));
        _ = contestant.Request(1, ValueBytes, 0);

        Assert.False(contestant.Request(2, (3 * CostBytes) - 15 + 1, 1));
        Assert.False(contestant.Request(2, (3 * CostBytes) - 15 + 1, 2));
        Assert.Equal(CostBytes, contestant.UsedBytes);
        Assert.True(contestant.Request(1, ValueBytes, 3));
        Assert.False(contestant.Request(3, (3 * CostBytes) - 15, 4));
        Assert.True(contestant.Request(3, (3 * CostBytes) - 15, 5));
        Assert.Equal(3 * CostBytes, contestant.UsedBytes);
    }

    [Fact]
    public void TheFourOfThePapersTakePart() => Assert.Equal(["s3-fifo", "lru", "sieve", "2q"], Entries.All.Where(static entry => entry.ChargeBytes == 0).Select(static entry => entry.Name));

    private static string Play(string name, int objects, string sequence)
    {
        using IContestant contestant = Entries.Of(name).Make(new Budget(objects * CostBytes, ChargeBytes));
        return string.Concat(sequence.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select((letter, index) => contestant.Request(letter[0], ValueBytes, index) ? 'h' : '.'));
    }
}
