using System;
using System.Collections;
using System.Collections.Frozen;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Frozen collections that are made before what their keys hash by is there.</summary>
public sealed class LostKeyTests
{
    /// <summary>What hashes otherwise when it is complete would not be found: such a collection is not given out.</summary>
    [Theory]
    [InlineData("Reflection")]
    [InlineData("Emitted")]
    public void AKeyThatNeedsWhatIsAroundItIsATypedErrorAndNoLoss(string mode)
    {
        using var pile = new GraphPile(mode);
        foreach (string name in (string[])["own", ""])
        {
            // The name is read behind the collection; of an empty text the hash code is what it is without. Few items are compared without it.
            var around = new Late { Name = name };
            Late[] others = [around, .. Enumerable.Range(1, 19).Select(static length => new Late { Name = new string('x', length * 3) })];
            object[] all =
            [
                Enumerable.Range(0, 20).Select(number => (around, number)).ToFrozenSet(),
                others.ToFrozenDictionary(static other => (other, 1)),
                others.Select(static other => new Of(other)).ToFrozenSet(),
                others.ToFrozenDictionary(static other => new Of(other)),
            ];
            foreach (object frozen in all)
            {
                around.Held = frozen;
                PilePointer pointer = pile.Pile.Put(around);
                if (name.Length > 0)
                {
                    PileTypeMismatchException failed = Assert.Throws<PileTypeMismatchException>(() => pile.Pile.Get<Late>(pointer));
                    Assert.Contains("Frozen", failed.Message, StringComparison.Ordinal);
                }
                else
                {
                    Assert.Equal(20, ((ICollection)pile.Pile.Get<Late>(pointer).Held!).Count);
                }
            }
        }
    }

    internal sealed record Of(Late It);

    internal sealed class Late
    {
        public object? Held { get; set; }

        public string? Name { get; init; }

        public override int GetHashCode() => Name?.Length ?? 0;

        public override bool Equals(object? obj) => obj is Late other && (other.Name ?? "") == (Name ?? "");
    }
}
