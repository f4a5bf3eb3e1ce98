using System;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 35 to 40: boxes, nullable values, structs.</summary>
public sealed class BoxCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case035_BoxedValuesKeepTheirTypes(string plan)
    {
        using var pile = new CasePile(plan);
        object[] boxes = [(byte)1, (sbyte)-1, (short)2, (ushort)3, 4, 5u, 6L, 7ul, 'c', 1.5f, 2.5, 3.5m, true, (Half)1, CaseTypes.Small.One, CaseTypes.Wide.Top, DayOfWeek.Friday, (CaseTypes.Small)9, TimeSpan.FromTicks(1), default(DateTime), Guid.Empty, new DateOnly(1, 2, 3), new Index(1), new Version(1, 2)];
        Assert.Equal(boxes.Select(static box => box.GetType()), pile.Back(boxes).Select(static box => box.GetType()));
        foreach (object box in boxes)
        {
            Assert.Equal(box, pile.Back(box));
            Assert.Equal(box, pile.Back(new CaseTypes.Pair { First = box }).First);
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case036_ABoxInTwoPlacesStaysOneBox(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (object box in new object[] { new CaseTypes.Link { Value = 1 }, 1234567, 2.5, true, (byte)3, CaseTypes.Small.One, 1.5m, Guid.Empty, default(DateTime), (1, "two") })
        {
            object[] got = pile.Back(new object[] { box, box, new CaseTypes.Pair { First = box } });
            Assert.Same(got[0], got[1]);
            Assert.Same(got[0], ((CaseTypes.Pair)got[2]).First);
        }

        object[] apart = pile.Back(new object[] { 5, 5 });
        Assert.NotSame(apart[0], apart[1]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case037_AStructThatRefersToItsOwnBox(string plan)
    {
        using var pile = new CasePile(plan);
        object[] holder = new object[1];
        object box = new CaseTypes.Link { Next = holder, Value = 5 };
        holder[0] = box;
        object got = pile.Back(box);
        Assert.Same(got, ((object[])((CaseTypes.Link)got).Next!)[0]);

        // Without a step in between: only reflection can make it, and it must come back.
        object self = new CaseTypes.Link { Value = 6 };
        typeof(CaseTypes.Link).GetField(nameof(CaseTypes.Link.Next))!.SetValue(self, self);
        Assert.Same(self, ((CaseTypes.Link)self).Next);
        object gotSelf = pile.Back(self);
        Assert.Same(gotSelf, ((CaseTypes.Link)gotSelf).Next);
        object[] inside = pile.Back(new object[] { self, self });
        Assert.Same(inside[0], ((CaseTypes.Link)inside[1]).Next);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case038_NullableValues(string plan)
    {
        using var pile = new CasePile(plan);
        pile.Back(new CaseTypes.Twin<int?, long?> { First = null, Second = 5 });
        pile.Back(new CaseTypes.Twin<DateTime?, Guid?> { First = DateTime.MaxValue });
        pile.Back(new CaseTypes.Twin<CaseTypes.Fixed?, CaseTypes.Small?> { First = new CaseTypes.Fixed(1, "a"), Second = CaseTypes.Small.Last });
        pile.Back(new CaseTypes.Twin<CaseTypes.Fixed?, CaseTypes.Small?>());
        pile.Back(new CaseTypes.Box<bool?> { Value = false });
        pile.Back(new CaseTypes.Box<double?> { Value = null });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case039_AStructOfReadonlyFieldsInAClass(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Equal("5 five", pile.Back(new CaseTypes.FixedHolder(new CaseTypes.Fixed(5, "five"))).ToString());
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case040_GenericStructsInsideEachOther(string plan)
    {
        using var pile = new CasePile(plan);
        var value = new CaseTypes.Twin<CaseTypes.Twin<int, string>, CaseTypes.Twin<CaseTypes.Twin<double, object>, int?>>
        {
            First = new() { First = 1, Second = "two" },
            Second = new() { First = new() { First = 3.5, Second = new CaseTypes.Node() }, Second = 4 },
        };
        pile.Back(value);
        pile.BackAsObject(value);
        pile.Back(new[] { value, default });
    }
}
