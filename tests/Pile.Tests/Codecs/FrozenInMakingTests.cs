using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Frozen collections of removed fields that something refers to while their keys are read.</summary>
public sealed class FrozenInMakingTests
{
    /// <summary>Its key leads to the one around it, which was gone over too, and refers to the collection before that is made.</summary>
    [Theory]
    [InlineData("Reflection")]
    [InlineData("Emitted")]
    public void ASetThatIsReferredToWhileItsKeysAreReadIsWhole(string mode)
    {
        var box = new BoxOld();
        var label = new LabelOld { Number = 3, Owner = box };
        box.Former = box.Labels = new[] { label }.ToFrozenSet();
        box.FormerAges = box.Ages = box.Labels.ToFrozenDictionary(static each => each, static each => each.Number);
        foreach (object wanted in (object[])[box.Labels, box.Ages])
        {
            var shelf = new ShelfOld { Former = box, Wanted = wanted };
            object got = Pass<HallNew>(new HallOld { Former = shelf, Present = shelf }, mode).Present!.Wanted!;
            LabelNew one = got is FrozenSet<LabelNew> set ? Assert.Single(set) : Assert.Single(((FrozenDictionary<LabelNew, int>)got).Keys);
            Assert.Contains(one, (ISet<LabelNew>)one.Owner!.Labels!);
            Assert.Equal(3, one.Owner.Ages![one]);
            Assert.Same(got, got is FrozenSet<LabelNew> ? one.Owner.Labels : one.Owner.Ages);
        }
    }

    private static T Pass<T>(object old, string mode)
    {
        var before = new GraphStore(null, Enum.Parse<PlanMode>(mode));
        byte[] bytes = before.Write(old);
        var after = new GraphStore(before, Enum.Parse<PlanMode>(mode));
        after.Table.Known.Add(typeof(BoxNew));
        return after.Read<T>(bytes);
    }

    internal sealed class LabelOld
    {
        public int Number { get; set; }

        public BoxOld? Owner { get; set; }

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is LabelOld other && other.Number == Number;
    }

    [PileName("Pile.Tests.Codecs.FrozenInMakingTests+LabelOld")]
    internal sealed class LabelNew
    {
        public int Number { get; set; }

        public BoxNew? Owner { get; set; }

        public override int GetHashCode() => Number;

        public override bool Equals(object? obj) => obj is LabelNew other && other.Number == Number;
    }

    internal sealed class BoxOld
    {
        public FrozenSet<LabelOld>? Former { get; set; }

        public FrozenDictionary<LabelOld, int>? FormerAges { get; set; }

        public FrozenSet<LabelOld>? Labels { get; set; }

        public FrozenDictionary<LabelOld, int>? Ages { get; set; }
    }

    [PileName("Pile.Tests.Codecs.FrozenInMakingTests+BoxOld")]
    internal sealed class BoxNew
    {
        public FrozenSet<LabelNew>? Labels { get; set; }

        public FrozenDictionary<LabelNew, int>? Ages { get; set; }
    }

    internal sealed class ShelfOld
    {
        public BoxOld? Former { get; set; }

        public object? Wanted { get; set; }
    }

    [PileName("Pile.Tests.Codecs.FrozenInMakingTests+ShelfOld")]
    internal sealed class ShelfNew
    {
        public object? Wanted { get; set; }
    }

    internal sealed class HallOld
    {
        public ShelfOld? Former { get; set; }

        public ShelfOld? Present { get; set; }
    }

    [PileName("Pile.Tests.Codecs.FrozenInMakingTests+HallOld")]
    internal sealed class HallNew
    {
        public ShelfNew? Present { get; set; }
    }
}
