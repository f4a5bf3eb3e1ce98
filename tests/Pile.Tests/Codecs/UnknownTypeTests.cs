using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.Serialization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Pile.Codecs;
using Pile.Tests.Codecs.Cases;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>A pile in files that is opened by a program which has not shown it the types: what it is told to do about it works, and what
/// needs no type works without.</summary>
public sealed class UnknownTypeTests : IDisposable
{
    private const string FileScoped = "Shop!Shop.<Orders>F00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF__Order";
    private static readonly PileOptions _options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20 };
    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<string, string, Type> Lines => new()
    {
        { "plain", "pile.Types.Add<Pile.Tests.Codecs.UnknownTypeTests.Plain>()", typeof(Plain) },
        { "array", "pile.Types.Add<Pile.Tests.Codecs.UnknownTypeTests.Plain>()", typeof(Plain) },
        { "list", "pile.Types.Add<Pile.Tests.Codecs.UnknownTypeTests.Plain>()", typeof(Plain) },
        { "map", "pile.Types.Add<Pile.Tests.Codecs.UnknownTypeTests.Plain>()", typeof(Plain) },
        { "generic", "pile.Types.Add(typeof(Pile.Tests.Codecs.UnknownTypeTests.Twin<,>))", typeof(Twin<,>) },
        { "nested in a generic", "pile.Types.Add(typeof(Pile.Tests.Codecs.UnknownTypeTests.Twin<,>.Inner))", typeof(Twin<,>.Inner) },
        { "collection expression", "pile.Types.AddAssemblyOf<T>(), where T is a type of Pile.Tests", Expression().GetType().GetGenericTypeDefinition() },
        { "list of anonymous", "pile.Types.AddAssemblyOf<T>(), where T is a type of Pile.Tests", _values["list of anonymous"]().GetType().GetGenericArguments()[0].GetGenericTypeDefinition() },
    };

    private static readonly Dictionary<string, Func<object>> _values = new()
    {
        ["plain"] = static () => new Plain { Text = "kept" },
        ["array"] = static () => new Plain[,] { { new() { Text = "kept" } } },
        ["list"] = static () => new List<Plain> { new() { Text = "kept" } },
        ["map"] = static () => new Dictionary<string, List<Plain>> { ["a"] = [new() { Text = "kept" }] },
        ["generic"] = static () => new Twin<int, string> { First = 1, Second = "kept" },
        ["nested in a generic"] = static () => new Twin<int, string>.Inner { Text = "kept" },
        ["collection expression"] = Expression,
        ["list of anonymous"] = static () => new[] { new { Number = 1, Text = "kept" } }.ToList(),
    };

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Lines))]
    public void TheErrorHasTheLineThatHelps(string what, string line, Type added)
    {
        PilePointer pointer = Put(_values[what]());
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);

        PileUnknownTypeException unknown = Assert.Throws<PileUnknownTypeException>(() => pile.Get<object[]>(pointer));
        Assert.Contains($" {line}", unknown.Message, StringComparison.Ordinal);
        Assert.Equal(PileStatus.UnknownType, unknown.Status);

        pile.Types.Add(added);
        Assert.Equal(JsonOf(pile, pointer), JsonOf(pile, pile.Put(pile.Get<object[]>(pointer))));
        Assert.Equal(_values[what]().GetType(), pile.Get<object[]>(pointer)[0].GetType());
    }

    [Theory]
    [MemberData(nameof(Lines))]
    public void WithoutTheTypeItIsMessagePackAndJson(string what, string line, Type added)
    {
        _ = (line, added);
        PilePointer pointer = Put(_values[what]());
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        using (PileLease lease = pile.Lease(pointer))
        {
            Assert.Contains("s6b657074", WireWalk.TextOf(lease.Bytes.ToArray()), StringComparison.Ordinal);
        }

        Assert.Contains("\"kept\"", JsonOf(pile, pointer), StringComparison.Ordinal);
        Assert.Equal(2, pile.Describe(pointer).Items.Count);
    }

    [Theory]
    [MemberData(nameof(Lines))]
    public void TheAssemblyAddedAsAWholeIsEnoughAndStaysSoInAClosedSet(string what, string line, Type added)
    {
        _ = (line, added);
        PilePointer pointer = Put(_values[what]());
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        pile.Types.AddAssemblyOf<UnknownTypeTests>().Close();

        Assert.Equal(JsonOf(pile, pointer), JsonOf(pile, pile.Put(pile.Get<object[]>(pointer))));
        Assert.Equal(_values[what]().GetType(), pile.Get<object[]>(pointer)[0].GetType());
    }

    [Fact]
    public void AClosedSetLetsNoReadNameAnotherType()
    {
        PilePointer pointer = Put(new Plain { Text = "kept" });
        PilePointer alone;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, _options))
        {
            alone = pile.Put(new Plain { Text = "alone" });
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, _options);
        again.Types.Add(typeof(Twin<,>)).Close();
        Assert.True(again.Types.IsClosed);
        Assert.Throws<PileUnknownTypeException>(() => again.Get<Plain>(alone));
        Assert.Throws<PileUnknownTypeException>(() => again.Get<object>(pointer));
        Assert.Contains("Add<Pile.Tests.Codecs.UnknownTypeTests.Plain>()", Assert.Throws<PileUnknownTypeException>(() => again.Put(new List<Plain>())).Message, StringComparison.Ordinal);
        Assert.Equal("b", again.Get<Twin<int, string>>(again.Put(new Twin<int, string> { Second = "b" })).Second);
    }

    /// <summary>What a callback meets in another pile is passed on, though this pile knows the type.</summary>
    [Fact]
    public void ATypeThatAnotherPileDoesNotKnowIsToldOnce()
    {
        PilePointer there = Put(new Plain { Text = "kept" });
        using ObjectPile other = ObjectPile.Open(_directory.Path, _options);
        using ObjectPile pile = ObjectPile.Create();
        pile.Types.Add<Plain>();
        PilePointer here = pile.Put(new Looking { Number = 1 });
        int calls = 0;
        Looking.Look = number =>
        {
            calls += number;
            Assert.True(calls < 3);
            _ = other.Get<object[]>(there);
        };
        try
        {
            Assert.Contains(nameof(Plain), Assert.Throws<PileUnknownTypeException>(() => pile.Get<Looking>(here)).TypeName, StringComparison.Ordinal);
        }
        finally
        {
            Looking.Look = null;
        }
    }

    /// <summary>Nothing but the type itself names these: its attributes, and the assembly that it is of.</summary>
    [Fact]
    public void WhatTheTypeThatIsAskedForTellsOfIsKnownWithIt()
    {
        var drawing = new Drawing { Shapes = [new Circle { Radius = 1 }], Form = new Square { Side = 2 }, Texts = (IReadOnlyList<string>)Expression() };
        (PilePointer pointer, PilePointer alone, PilePointer other) = PutDrawings(drawing);
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, _options))
        {
            Drawing read = pile.Get<Drawing>(pointer);
            Assert.Equal(1, Assert.IsType<Circle>(read.Shapes![0]).Radius);
            Assert.Equal(2, Assert.IsType<Square>(read.Form).Side);
            Assert.Equal(drawing.Texts, read.Texts);
            Assert.Equal(drawing.Texts!.GetType(), read.Texts!.GetType());
        }

        using (ObjectPile pile = ObjectPile.Open(_directory.Path, _options))
        {
            Assert.Equal(3, Assert.IsType<Circle>(pile.Get<IShape>(alone)).Radius);
        }

        // What nothing but the bytes names stays unknown.
        using ObjectPile again = ObjectPile.Open(_directory.Path, _options);
        Assert.Contains(nameof(Hidden), Assert.Throws<PileUnknownTypeException>(() => again.Get<Drawing>(other)).TypeName, StringComparison.Ordinal);
        Assert.Throws<PileUnknownTypeException>(() => again.Get<object>(other));
    }

    /// <summary>No C# makes such a one: its argument must be a struct, which that of the type around it need not be.</summary>
    [Fact]
    public void ANestedTypeThatCantBeMadeLeavesTheOthers()
    {
        ModuleBuilder module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Nest"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Nest");
        TypeBuilder outer = module.DefineType("Nest.Outer`1", TypeAttributes.Public);
        _ = outer.DefineGenericParameters("T");
        TypeBuilder narrow = Heir("Narrow", GenericParameterAttributes.NotNullableValueTypeConstraint | GenericParameterAttributes.DefaultConstructorConstraint);
        TypeBuilder wide = Heir("Wide", GenericParameterAttributes.None);
        Type made = outer.CreateType().MakeGenericType(typeof(string));
        _ = narrow.CreateType();
        Type expected = wide.CreateType();

        var store = new GraphStore();
        store.Table.Known.Add(made);

        Assert.Equal(expected, store.Table.Known.Find(TypeName.Of(expected, asDefinition: true)));

        TypeBuilder Heir(string name, GenericParameterAttributes attributes)
        {
            TypeBuilder nested = outer.DefineNestedType(name, TypeAttributes.NestedPublic);
            GenericTypeParameterBuilder[] parameters = nested.DefineGenericParameters("T");
            parameters[0].SetGenericParameterAttributes(attributes);
            nested.SetParent(outer.MakeGenericType(parameters));
            return nested;
        }
    }

    /// <summary>The cases of a union, of which F# can name none, and hierarchies that are closed by being nested.</summary>
    [Fact]
    public void WhatIsNestedInATypeAndDerivesFromItIsKnownWithIt()
    {
        Tree tree = new Tree.Fork { Left = new Tree.Leaf { Number = 1 }, Right = new Some<string>.Full { Value = "kept" } };
        PilePointer pointer;
        using (ObjectPile before = ObjectPile.Open(_directory.Path, _options))
        {
            pointer = before.Put(tree);
        }

        using (ObjectPile pile = ObjectPile.Open(_directory.Path, _options))
        {
            Tree.Fork read = Assert.IsType<Tree.Fork>(pile.Get<Tree>(pointer));
            Assert.Equal(1, Assert.IsType<Tree.Leaf>(read.Left).Number);
            Assert.Equal("kept", Assert.IsType<Some<string>.Full>(read.Right).Value);
        }

        using ObjectPile closed = ObjectPile.Open(_directory.Path, _options);
        closed.Types.Add<Tree>().Close();
        Assert.Equal(1, Assert.IsType<Tree.Leaf>(Assert.IsType<Tree.Fork>(closed.Get<Tree>(pointer)).Left).Number);
    }

    [Fact]
    public void TheErrorHasAWayForATypeThatNoProgramCanName()
    {
        PilePointer pointer = Put(new Plain { Text = "kept" });
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);

        string message = Assert.Throws<PileUnknownTypeException>(() => pile.Get<object[]>(pointer)).Message;
        Assert.Contains("or, where the program can't name it, pile.Types.AddAssemblyOf<T>(), where T is a type of Pile.Tests", message, StringComparison.Ordinal);

        pile.Types.AddAssemblyOf<UnknownTypeTests>();
        Assert.Equal("kept", Assert.IsType<Plain>(pile.Get<object[]>(pointer)[0]).Text);
    }

    [Fact]
    public void AClosedSetDoesNotGrowByWhatItsTypesTellOf()
    {
        (PilePointer pointer, _, _) = PutDrawings(new Drawing { Texts = (IReadOnlyList<string>)Expression() });
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        pile.Types.Add<Drawing>().Close();
        Assert.Throws<PileUnknownTypeException>(() => pile.Get<Drawing>(pointer));
    }

    /// <summary>No value of these can be kept, but a type may have them for arguments.</summary>
    [Fact]
    public void AHandleAsATypeArgumentIsNoUnknownType()
    {
        PilePointer pointer = Put(new Tagged<nint, nuint> { Text = "kept" });
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        pile.Types.Add(typeof(Tagged<,>));
        Assert.Equal("kept", Assert.IsType<Tagged<nint, nuint>>(pile.Get<object[]>(pointer)[0]).Text);
    }

    /// <summary>A type of one file has a hash in its name, of the path; another class of the compiler's bears no mark, nor does one that F# named after a line.</summary>
    [Theory]
    [InlineData(FileScoped, true)]
    [InlineData(FileScoped + "`2", true)]
    [InlineData("Shop!Shop.<Orders>F12AB__Order", false)]
    [InlineData("Shop!<>f__AnonymousType0`1", false)]
    [InlineData("Shop!Shop.Comparers+byPrice@6", false)]
    [InlineData("FSharp.Core!Microsoft.FSharp.Core.ExtraTopLevelOperators+dictValueType@197", false)]
    [InlineData("Shop!Shop.Order", true)]
    public void AMarkIsAskedForWhereATypeCanBearOne(string name, bool isAsked)
    {
        var known = new KnownTypes();
        Assert.Equal(isAsked, known.WayOut(name).Contains($"[PileName(\"{name}\")]", StringComparison.Ordinal));
        known.Add(typeof(OfAFile));
        Assert.Equal(name == FileScoped ? typeof(OfAFile) : null, known.Find(name));
    }

    private (PilePointer Whole, PilePointer Alone, PilePointer Other) PutDrawings(Drawing drawing)
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        return (pile.Put(drawing), pile.Put<object>(new Circle { Radius = 3 }), pile.Put(new Drawing { Shapes = [new Hidden()] }));
    }

    /// <summary>A list of a class that the compiler makes.</summary>
    private static object Expression()
    {
        IReadOnlyList<string> texts = ["kept"];
        return texts;
    }

    /// <summary>Puts a value behind a place of type object, with a text beside it, and ends the pile that knows its type.</summary>
    private PilePointer Put(object value)
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        return pile.Put(new object[] { value, "text" });
    }

    private static string JsonOf(ObjectPile pile, PilePointer pointer)
    {
        string text = pile.ToJson(pointer);
        using JsonDocument document = JsonDocument.Parse(text);
        return text;
    }

    [JsonDerivedType(typeof(Circle))]
    internal interface IShape;

    [KnownType(typeof(Square))]
    internal abstract class Form;

    internal sealed class Circle : IShape
    {
        public int Radius { get; set; }
    }

    internal sealed class Square : Form
    {
        public int Side { get; set; }
    }

    internal sealed class Hidden : IShape;

    internal abstract class Tree
    {
        internal sealed class Leaf : Tree
        {
            public int Number { get; set; }
        }

        internal sealed class Fork : Tree
        {
            public Tree? Left { get; set; }

            public Some<string>? Right { get; set; }
        }
    }

    internal abstract class Some<T>
    {
        internal sealed class Full : Some<T>
        {
            public T? Value { get; set; }
        }
    }

    internal sealed class Drawing
    {
        public IShape[]? Shapes { get; set; }

        public Form? Form { get; set; }

        public IReadOnlyList<string>? Texts { get; set; }
    }

    [PileName(FileScoped)]
    internal sealed class OfAFile;

    internal sealed class Tagged<TFirst, TSecond>
    {
        public string? Text { get; set; }
    }

    internal sealed class Plain
    {
        public string? Text { get; set; }
    }

    private sealed class Looking
    {
        public static Action<int>? Look { get; set; }

        public int Number { get; set; }

        [OnDeserialized]
        private void OnDeserialized(StreamingContext context) => Look?.Invoke(Number);
    }

    internal sealed class Twin<TFirst, TSecond>
    {
        public TFirst? First { get; set; }

        public TSecond? Second { get; set; }

        internal sealed class Inner
        {
            public string? Text { get; set; }
        }
    }
}
