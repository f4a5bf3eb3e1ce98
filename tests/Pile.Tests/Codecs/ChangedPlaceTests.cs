using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Places and types that changed in ways no plan follows: a typed error that says what was stored, not damage.</summary>
public sealed class ChangedPlaceTests
{
    [Fact]
    public void AFieldThatIsOfAnotherClassTodayIsATypedErrorThatNamesWhatWasStored()
    {
        AssertStoredAs<List<int>, List<long>>([1, 2], "System.Collections.Generic.List<System.Int32>");
        AssertStoredAs<int[], long[]>([1, 2], "System.Int32[]");
        AssertStoredAs<int[], long[]>([.. Enumerable.Range(0, 100)], "System.Int32[]");
        AssertMismatch<double[], float[]>(new double[100], "holds System.Double[]");
        AssertMismatch<List<string>, string[]>(["a"], "holds System.Collections.Generic.List<System.String>");
        AssertStoredAs<IList<string>, ICollection<int>>(new List<string> { "a" }, "System.Collections.Generic.List<System.String>");
        AssertStoredAs<object, IList<int>>(5, "System.Int32");
        AssertMismatch<object, Version>("text", "holds System.String");

        // So deep that the object is put off to the end.
        object deep = ThenOf<List<int>, List<long>>.Of([1, 2]);
        for (int level = 0; level < 200; level++)
        {
            deep = new object[] { deep };
        }

        AssertMismatch(deep, typeof(NowOf<List<int>, List<long>>), "stored as System.Collections.Generic.List<System.Int32>");
    }

    /// <summary>The schema of a field has the kind of the number and nothing of the enum.</summary>
    [Fact]
    public void AnEnumInAFieldThatIsOfObjectTodayIsItsNumber()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(ThenOf<DayOfWeek, object>.Of(DayOfWeek.Friday));
        Assert.Equal(5, Assert.IsType<int>(new GraphStore(before).Read<NowOf<DayOfWeek, object>>(bytes).Value));
    }

    /// <summary>It was told as damage: a schema says nothing of what such a place may hold, so it may have held anything.</summary>
    [Fact]
    public void AReferenceInAFieldThatIsOfAnotherClassTodayIsATypedErrorThatNamesWhatWasStored()
    {
        AssertSharedStoredAs<Parent, Uri>(new Parent());
        AssertSharedStoredAs<Parent, Other>(new Parent());
        AssertSharedStoredAs<Parent, int[]>(new Parent());
        AssertSharedStoredAs<Parent, IList<int>>(new Parent());
        AssertSharedStoredAs<object, Parent>(new Version(1, 2));
        AssertSharedStoredAs<IList<string>, ICollection<int>>(new List<string> { "a" });

        // A tree whose children lead back.
        var root = new BackThen();
        root.Child = new BackThen { Parent = root };
        AssertMismatch(root, typeof(BackNow), "stored as Pile.Tests.Codecs.ChangedPlaceTests.BackNow");
    }

    [Fact]
    public void AReferenceToWhatTheSchemaOfAPlaceForbidsIsDamage()
    {
        var store = new GraphStore();
        var version = new Version(1, 2);
        byte[] bytes = store.Write(new Two { First = [1], Second = version, Third = version });
        int reference = bytes.AsSpan().LastIndexOf([(byte)0xd4, (byte)0x01]);
        int list = bytes.AsSpan().IndexOf([(byte)0x94, (byte)1, (byte)2]) - 3;
        Assert.True(reference > 0 && list > 0 && bytes[list] == 0x92);
        bytes[reference + 2] = (byte)list;
        Assert.Throws<PileCorruptedException>(() => store.Read<Two>(bytes));
    }

    [Fact]
    public void AnInlineArrayOfAnotherLengthIsATypedError()
    {
        TwoTexts two = default;
        two[0] = "a";
        AssertMismatch(new object[] { two, "text" }, typeof(ThreeTexts), "2 elements");
        TwoInts ints = default;
        ints[1] = 5;
        AssertMismatch(new object[] { ints, "text" }, typeof(ThreeInts), "8 bytes");
    }

    [Fact]
    public void AnExplicitStructThatGrewIsATypedError() =>
        AssertMismatch(new object[] { new Union { A = 1 }, "text" }, typeof(LargerUnion), "8 bytes");

    [Fact]
    public void AClassThatBecameAbstractIsATypedError()
    {
        AssertMismatch(new object[] { new ListThen { 1 }, "text" }, typeof(AbstractList), "(Sequence)");
        AssertMismatch(new object[] { new ErrorThen(), "text" }, typeof(AbstractError), "(Serializable)");
        AssertMismatch(new object[] { new SortedSet<int>(new ComparerThen()) { 1 } }, typeof(AbstractComparer), "(Fields)");
        AssertMismatch(new object[] { new ProtocolThen(), "text" }, typeof(AbstractProtocol), "(Serializable)");
        AssertMismatch(new object[] { new FieldsThen { X = 1 }, "text" }, typeof(AbstractFields), "(Fields)");
    }

    [Theory]
    [InlineData("System.Span`1<System.Int32>[]")]
    [InlineData("System.Span`1<System.Int32>[,]")]
    [InlineData("System.Span`1<System.Int32>[*]")]
    [InlineData("System.Void[]")]
    [InlineData("Pile.Tests!Pile.Tests.Codecs.ChangedPlaceTests+View[]")]
    [InlineData("Pile.Tests!Pile.Tests.Codecs.ChangedPlaceTests+Huge[]")]
    [InlineData("System.Collections.Generic.List`1<Pile.Tests!Pile.Tests.Codecs.ChangedPlaceTests+View[]>")]
    public void AStoredNameOfAnArrayThatCannotBeIsOfNoType(string name)
    {
        var store = new GraphStore();
        Assert.Null(Pile.Codecs.TypeNameParser.Resolve(name, static part => part switch
        {
            "System.Span`1" => typeof(Span<>),
            "System.Collections.Generic.List`1" => typeof(List<>),
            "System.Void" => typeof(void),
            "System.Int32" => typeof(int),
            _ => typeof(ChangedPlaceTests).Assembly.GetType(part[(part.IndexOf('!', StringComparison.Ordinal) + 1)..]),
        }));
    }

    private static void AssertStoredAs<TThen, TNow>(TThen then, string stored) => AssertMismatch<TThen, TNow>(then, $"stored as {stored}");

    private static void AssertMismatch<TThen, TNow>(TThen then, string what) =>
        AssertMismatch(ThenOf<TThen, TNow>.Of(then), typeof(NowOf<TThen, TNow>), what);

    private static void AssertSharedStoredAs<TThen, TNow>(TThen then)
        where TThen : class => AssertMismatch(
            new SharedThen<TThen, TNow> { Kept = then, Value = then }, typeof(SharedNow<TThen, TNow>), $"stored as {Pile.Codecs.TypeName.Display(then.GetType())}, in a place that is of {Pile.Codecs.TypeName.Display(typeof(TNow))} today");

    private static void AssertMismatch(object then, Type now, string what)
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(then);
        var after = new GraphStore(before);
        after.Table.Known.Add(now);
        Exception failure = Assert.Throws<PileTypeMismatchException>(() => after.Read<object>(bytes));
        Assert.Contains(what, failure.Message, StringComparison.Ordinal);
    }

    internal sealed class ThenOf<TThen, TNow>
    {
        public TThen? Value { get; set; }

        internal static object Of(TThen value) => new ThenOf<TThen, TNow> { Value = value };
    }

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+ThenOf`2")]
    internal sealed class NowOf<TThen, TNow>
    {
        public TNow? Value { get; set; }
    }

    internal sealed class SharedThen<TThen, TNow>
    {
        public TThen? Kept { get; set; }

        public TThen? Value { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+SharedThen`2")]
    internal sealed class SharedNow<TThen, TNow>
    {
        public TThen? Kept { get; set; }

        public TNow? Value { get; set; }
    }

    internal class Parent
    {
        public int Value { get; set; }
    }

    internal sealed class Special : Parent;

    internal class Other
    {
        public int Value { get; set; }
    }

    internal sealed class Another : Other;

    internal class BackThen
    {
        public object? Parent { get; set; }

        public BackThen? Child { get; set; }
    }

    internal sealed class SpecialBack : BackThen;

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+BackThen")]
    internal class BackNow
    {
        public Other? Parent { get; set; }

        public BackNow? Child { get; set; }
    }

    internal sealed class SpecialNow : BackNow;

    internal sealed class Two
    {
        public IList<int>? First { get; set; }

        public Version? Second { get; set; }

        public Version? Third { get; set; }
    }

    [InlineArray(2)]
    internal struct TwoTexts
    {
        private string? _first;
    }

    [InlineArray(3)]
    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+TwoTexts")]
    internal struct ThreeTexts
    {
        private string? _first;
    }

    [InlineArray(2)]
    internal struct TwoInts
    {
        private int _first;
    }

    [InlineArray(3)]
    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+TwoInts")]
    internal struct ThreeInts
    {
        private int _first;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal struct Union
    {
        [FieldOffset(0)]
        public long A;

        [FieldOffset(0)]
        public int B;
    }

    [StructLayout(LayoutKind.Explicit)]
    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+Union")]
    internal struct LargerUnion
    {
        [FieldOffset(0)]
        public long A;

        [FieldOffset(8)]
        public int B;
    }

    [StructLayout(LayoutKind.Sequential, Size = 100_000)]
    internal struct Huge
    {
        public byte A;
    }

    internal ref struct View
    {
        public int A { get; set; }
    }

    internal sealed class ListThen : List<int>;

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+ListThen")]
    internal abstract class AbstractList : List<int>;

    internal sealed class ErrorThen : Exception;

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+ErrorThen")]
    internal abstract class AbstractError : Exception;

    internal sealed class ComparerThen : Comparer<int>
    {
        public override int Compare(int x, int y) => x.CompareTo(y);
    }

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+ComparerThen")]
    internal abstract class AbstractComparer : Comparer<int>;

    internal sealed class FieldsThen
    {
        public int X { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+FieldsThen")]
    internal abstract class AbstractFields
    {
        public int X { get; set; }
    }

#pragma warning disable SYSLIB0050, SYSLIB0051 // The protocol is what is tested.
    internal sealed class ProtocolThen : ISerializable
    {
        public ProtocolThen()
        {
        }

        private ProtocolThen(SerializationInfo info, StreamingContext context)
        {
        }

        public void GetObjectData(SerializationInfo info, StreamingContext context) => info.AddValue("a", 1);
    }

    [PileName("Pile.Tests.Codecs.ChangedPlaceTests+ProtocolThen")]
    internal abstract class AbstractProtocol : ISerializable
    {
        protected AbstractProtocol(SerializationInfo info, StreamingContext context)
        {
        }

        public abstract void GetObjectData(SerializationInfo info, StreamingContext context);
    }
#pragma warning restore SYSLIB0050, SYSLIB0051
}
