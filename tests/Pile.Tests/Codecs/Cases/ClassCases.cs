using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 41 to 52: classes as programs write them.</summary>
public sealed partial class ClassCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case041_PrivateReadonlyFields(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Equal("5 a", pile.Back(new Sealed(5, "a")).ToString());
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case042_FieldsOfOneNameInBaseAndDerived(string plan)
    {
        using var pile = new CasePile(plan);
        CaseTypes.Circle got = pile.Back(new CaseTypes.Circle("base", "own"));
        Assert.Equal(("base", "own"), (got.ShapeName, got.OwnName));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case043_ARecordWithInit(string plan)
    {
        using var pile = new CasePile(plan);
        var value = new InitRecord { Name = "n", Inner = new InitRecord { Name = "i" } };
        Assert.Equal(value, pile.Back(value));
        var derived = new DerivedRecord("d") { Name = "n" };
        Assert.Equal(derived, pile.Back(derived));
        Assert.Equal(derived, pile.Back<InitRecord>(derived));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case044_ARecordStruct(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Equal(new Point(1, "p"), pile.Back(new Point(1, "p")));
        Assert.Equal(new Flat(1, 2.5), pile.Back(new Flat(1, 2.5)));
        Assert.Equal((object)new Flat(1, 2.5), pile.BackAsObject<object>(new Flat(1, 2.5)));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case045_APositionalRecordWithRequired(string plan)
    {
        using var pile = new CasePile(plan);
        var value = new Positional("x", 5) { Extra = "e" };
        Assert.Equal(value, pile.Back(value));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case046_AConstructorThatThrowsIsNeverCalled(string plan)
    {
        using var pile = new CasePile(plan);
        var value = (Throwing)RuntimeHelpers.GetUninitializedObject(typeof(Throwing));
        value.Value = 5;
        Assert.Equal(5, pile.Back(value).Value);
        Counting.Calls = 0;
        pile.Back(new Counting());
        Assert.Equal(1, Counting.Calls);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case047_PlacesOfAbstractInterfaceAndObjectType(string plan)
    {
        using var pile = new CasePile(plan);
        var circle = new CaseTypes.Circle("a", "b");
        CaseTypes.Slots got = pile.Back(new CaseTypes.Slots { Abstract = circle, Interface = circle, Any = circle });
        Assert.Same(got.Abstract, got.Interface);
        Assert.Same(got.Abstract, got.Any);
        Assert.IsType<CaseTypes.Circle>(pile.Back<CaseTypes.Shape>(circle));
        Assert.IsType<CaseTypes.Circle>(pile.Back<IComparable<CaseTypes.Circle>>(circle));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case048_AStructBehindAnInterface(string plan)
    {
        using var pile = new CasePile(plan);
        IComparable box = new Flat(1, 2);
        CaseTypes.Slots got = pile.Back(new CaseTypes.Slots { StructBehindInterface = box, Any = box });
        Assert.Equal(box, got.StructBehindInterface);
        Assert.Same(got.StructBehindInterface, got.Any);
        Assert.Equal(5, pile.Back(new CaseTypes.Slots { StructBehindInterface = 5 }).StructBehindInterface);
        Assert.Equal("s", pile.Back(new CaseTypes.Slots { StructBehindInterface = "s" }).StructBehindInterface);
        Assert.Equal(CaseTypes.Small.One, pile.Back(new CaseTypes.Slots { StructBehindInterface = CaseTypes.Small.One }).StructBehindInterface);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case049_ACovariantPlace(string plan)
    {
        using var pile = new CasePile(plan);
        List<string> list = ["a"];
        CaseTypes.Slots got = pile.Back(new CaseTypes.Slots { Covariant = list, Any = list });
        Assert.IsType<List<string>>(got.Covariant);
        Assert.Same(got.Covariant, got.Any);
        Assert.IsType<string[]>(pile.Back(new CaseTypes.Slots { Covariant = new string[] { "a" } }).Covariant);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case050_AValueTupleOfNine(string plan)
    {
        using var pile = new CasePile(plan);
        (int, string, long, double, char, decimal, byte, bool, CaseTypes.Node) tuple = (1, "2", 3L, 4.0, '5', 6m, (byte)7, true, new CaseTypes.Node());
        pile.Back(tuple);
        pile.BackAsObject(tuple);
        pile.Back(Tuple.Create(1, 2, 3, 4, 5, 6, 7, Tuple.Create("8", 9)));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case051_AnAnonymousType(string plan)
    {
        using var pile = new CasePile(plan);
        var value = new { Name = "n", Inner = new { Number = 5, List = new List<int> { 1 } } };
        Assert.Equal(5, pile.Back(value).Inner.Number);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case052_AGenericClassOverAPrivateNestedType(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Equal(5, pile.Back(new CaseTypes.Box<Hidden> { Value = new Hidden { Number = 5 } }).Value!.Number);
        pile.Back(new Dictionary<HiddenKey, List<Hidden>> { [new HiddenKey(1)] = [new Hidden()] });
        pile.Back(new CaseTypes.Box<CaseTypes.Box<Hidden[]>> { Value = new() { Value = [new(), new()] } });
    }

    [PileObject]
    internal sealed partial class Sealed(int number, string text)
    {
        private readonly int _number = number;
        private readonly string _text = text;

        public override string ToString() => $"{_number} {_text}";
    }

    [PileObject]
    internal partial record InitRecord
    {
        public string? Name { get; init; }

        public InitRecord? Inner { get; init; }
    }

    [PileObject]
    internal sealed partial record DerivedRecord(string More) : InitRecord;

    [PileObject]
    internal readonly partial record struct Point(int X, string Label);

    [PileObject]
    internal readonly partial record struct Flat(int X, double Y) : IComparable
    {
        public int CompareTo(object? obj) => obj is Flat other ? X.CompareTo(other.X) : 1;
    }

    [PileObject]
    internal sealed partial record Positional(string Name, int Number)
    {
        public required string Extra { get; init; }
    }

    [PileObject]
    internal sealed partial class Throwing
    {
        public Throwing() => throw new InvalidOperationException("called");

        public int Value { get; set; }
    }

    [PileObject]
    internal sealed partial class Counting
    {
        [ThreadStatic]
        internal static int Calls;

        public Counting() => Calls++;

        public int Value { get; set; } = 3;
    }

    [PileObject]
    internal sealed partial class Hidden
    {
        public int Number { get; set; }
    }

    [PileObject]
    internal readonly partial record struct HiddenKey(int Number);
}
