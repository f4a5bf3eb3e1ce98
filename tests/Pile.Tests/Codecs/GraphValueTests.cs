using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Serialization;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Single values, framework types, protocols and refusals. Numbers are those of the codec's list of cases.</summary>
public sealed class GraphValueTests
{
    public static TheoryData<string> Modes => GraphTests.Modes;

    [Theory]
    [MemberData(nameof(Modes))]
    public void ValuesKeepEveryBit_53_To_60(string mode)
    {
        using var pile = new GraphPile(mode);
        string[] texts = ["", "\0", "\ud800", "a\udc00b", new string('x', 1 << 20), .. new[] { 31, 32, 255, 256, 65535, 65536 }.SelectMany(static n => new[] { new string('y', n), new string('\u00e9', n), new string('\u20ac', n) })];
        Assert.Equal(texts, pile.Twice(texts));
        DateTime[] times = [DateTime.MinValue, DateTime.MaxValue, new DateTime(5, DateTimeKind.Utc), new DateTime(5, DateTimeKind.Local), DateTime.FromBinary(unchecked((long)0xC8D0_0000_0000_0000))];
        Assert.Equal(times.Select(RawOf), pile.Twice(Boxed(times)).Select(static v => RawOf((DateTime)v)));
        DateTimeOffset[] offsets = [DateTimeOffset.MinValue, DateTimeOffset.MaxValue, new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.FromHours(14)), new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.FromHours(-14))];
        Assert.True(offsets.Zip(pile.Twice(Boxed(offsets)), static (a, b) => a.EqualsExact((DateTimeOffset)b)).All(static same => same));
        decimal[] decimals = [1.00m, 1m, new decimal(0, 0, 0, true, 1), decimal.MaxValue, decimal.MinValue, new decimal(1, 0, 0, false, 28), 0m];
        Assert.Equal(decimals.SelectMany(decimal.GetBits), pile.Twice(Boxed(decimals)).SelectMany(static v => decimal.GetBits((decimal)v)));
        double[] doubles = [double.NaN, BitConverter.Int64BitsToDouble(0x7FF0_0000_0000_0001), -0.0, double.PositiveInfinity, double.Epsilon];
        Assert.Equal(doubles.Select(BitConverter.DoubleToInt64Bits), pile.Twice(Boxed(doubles)).Select(static v => BitConverter.DoubleToInt64Bits((double)v)));
        float[] floats = [float.NaN, BitConverter.Int32BitsToSingle(0x7F80_0001), -0.0f];
        Assert.Equal(floats.Select(BitConverter.SingleToInt32Bits), pile.Twice(Boxed(floats)).Select(static v => BitConverter.SingleToInt32Bits((float)v)));
        object[] numbers = [long.MinValue, long.MaxValue, ulong.MaxValue, int.MinValue, sbyte.MinValue, Int128.MinValue, UInt128.MaxValue, BigInteger.Zero, BigInteger.MinusOne, BigInteger.Pow(10, 400), -32, -33, 127, 128, 255, 256, 65535, 65536];
        Assert.Equal(numbers, pile.Twice(numbers));
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void UserTypesNeedNoAttributeAndNoConstructor_39_To_52(string mode)
    {
        using var pile = new GraphPile(mode);
        Assert.Equal("ab", pile.Twice(new Derived("a", "b")).Both);
        Assert.Equal(new Positional("x", 5) { Extra = 2 }, pile.Twice(new Positional("x", 5) { Extra = 2 }));
        Assert.Equal(new Point(1, "p"), pile.Twice(new Point(1, "p")));
        Assert.Equal(7, pile.Twice(Throwing.Make(7)).Value);
        var slots = new Slots { Abstract = new Derived("q", "r"), Interface = new Point(2, "s"), Any = new Positional("t", 1) { Extra = 4 }, Many = new List<string> { "u" } };
        Slots got = pile.Twice(slots);
        Assert.Equal("qr", ((Derived)got.Abstract!).Both);
        Assert.Equal(slots.Interface, got.Interface);
        Assert.Equal(slots.Any, got.Any);
        Assert.Equal(slots.Many, got.Many);
        var anonymous = new { A = 1, B = "two" };
        Assert.Equal(anonymous, pile.Twice(anonymous));
        Assert.Equal("n", pile.Twice(new Box<Hidden> { Value = new Hidden { Name = "n" } }).Value!.Name);
        Assert.Equal(new Nested<int, string>(1, new Nested<string, long>("a", 2)).ToString(), pile.Twice<object>(new Nested<int, string>(1, new Nested<string, long>("a", 2))).ToString());
        Custom custom = pile.Twice(new Custom("title") { 1, 2, 3 });
        Assert.Equal("title", custom.Title);
        Assert.Equal([1, 2, 3], custom);
        Assert.Equal(Tuple.Create(1, "a"), pile.Twice(Tuple.Create(1, "a")));
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void FrameworkTypesComeBack_67_68_75_76_81(string mode)
    {
        using var pile = new GraphPile(mode);
        int[] array = [1, 2, 3, 4];
        object[] memories = pile.Twice<object[]>([array, new Memory<int>(array, 1, 2), "text".AsMemory(1, 2), default(ReadOnlyMemory<char>), new ArraySegment<int>(array, 1, 2)]);
        Assert.Equal([2, 3], ((Memory<int>)memories[1]).ToArray());
        ((Memory<int>)memories[1]).Span[0] = 9;
        Assert.Equal(9, ((int[])memories[0])[1]);
        Assert.Equal("ex", memories[2].ToString());
        Assert.Same(memories[0], ((ArraySegment<int>)memories[4]).Array);
        List<int> list = [1];
        object[] wrapped = pile.Twice<object[]>([list, list.AsReadOnly()]);
        ((List<int>)wrapped[0]).Add(2);
        Assert.Equal(2, ((IReadOnlyList<int>)wrapped[1]).Count);
        Regex regex = new Regex("a+b", RegexOptions.IgnoreCase, TimeSpan.FromSeconds(3));
        object gate = new();
        (object, Lock?, Lock?) locks = (gate, new Lock(), null);
        locks.Item3 = locks.Item2;
        (object, Lock?, Lock?) gotLocks = pile.Twice(locks);
        Assert.True(gotLocks.Item2 == gotLocks.Item3 && gotLocks.Item2 is not null);
        object[] values = [typeof(string), typeof(List<>), typeof(Dictionary<string, int[]>), CultureInfo.GetCultureInfo("fr-FR"), regex, new Uri("http://example.org/a?b=c"), new Uri("rel/path", UriKind.Relative), new Version(1, 2, 3), IPAddress.Parse("10.0.0.1"), IPAddress.IPv6Loopback, TimeZoneInfo.Utc, Encoding.UTF8, new UTF8Encoding(false, true), Encoding.Unicode, DBNull.Value, Missing.Value, StringComparer.Ordinal, new Complex(1, 2), new Vector3(1, 2, 3), gate, gate, 1..^2];
        object[] got = pile.Twice(values);
        for (int index = 0; index < 19; index++)
        {
            if (values[index] is not (Regex or Encoding or UTF8Encoding))
            {
                Assert.Equal(values[index], got[index]);
            }
        }

        Assert.Same(DBNull.Value, got[14]);
        Assert.Matches((Regex)got[4], "xAAB");
        Assert.Equal(regex.MatchTimeout, ((Regex)got[4]).MatchTimeout);
        Assert.Empty(((Encoding)got[12]).Preamble.ToArray());
        Assert.Same(got[19], got[20]);
        Assert.Equal(typeof(object), got[19].GetType());
        Assert.Equal(1..^2, got[21]);
        Assert.Equal("built", pile.Twice(new StringBuilder("built")).ToString());
        using var stream = new MemoryStream();
        stream.Write([1, 2, 3]);
        stream.Position = 1;
        MemoryStream streamed = pile.Twice(stream);
        Assert.Equal(2, streamed.ReadByte());
        JsonElement json = JsonSerializer.SerializeToElement(new { a = 1 });
        Assert.Equal(1, ((JsonElement)pile.Twice<object>(json)).GetProperty("a").GetInt32());
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void JsonThatItsOwnParserLetPassComesBack(string mode)
    {
        using var pile = new GraphPile(mode);
        var options = new JsonDocumentOptions { MaxDepth = 1000, CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true };
        foreach (string text in new[] { new string('[', 500) + new string(']', 500), "[1, /* two */ 2, ]", "{ \"a\": 1, // b\n }" })
        {
            using var document = JsonDocument.Parse(text, options);
            Assert.Equal(text, ((JsonElement)pile.Twice<object>(document.RootElement)).GetRawText());
        }
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void ProtocolsOfSerializationAreFollowed_69_To_74(string mode)
    {
        using var pile = new GraphPile(mode);
        Assert.Equal("data", pile.Twice(new Protocol("data")).Text);
        Exception thrown = Assert.Throws<InvalidOperationException>(() => Throw(new ArgumentException("inner", nameof(mode))));
        Exception got = pile.Twice<Exception>(thrown);
        Assert.IsType<InvalidOperationException>(got);
        Assert.Equal("outer", got.Message);
        Assert.Equal("mode", ((ArgumentException)got.InnerException!).ParamName);
        Assert.Equal(thrown.StackTrace, got.StackTrace);
        Plain plain = pile.Twice(new Plain("why", 42));
        Assert.Equal(("why", 42), (plain.Message, plain.Code));
        Called called = pile.Once(new Called { Inner = new Called() });
        Assert.Equal(["deserializing", "deserialized", "notified"], called.Calls!);
        Assert.Equal(["deserializing", "deserialized", "notified"], called.Inner!.Calls!);
        Assert.Equal(0, called.Skipped);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void WhatCannotBeKeptIsRefusedWithItsPath_77_To_80(string mode)
    {
        using var pile = new GraphPile(mode);
        PileStatistics before = pile.Pile.GetStatistics();
        var order = new Order { Lines = [new Line(), new Line(), new Line(), new Line { Handler = static () => { } }] };
        Assert.Equal("Order.Lines[3].Handler", Assert.Throws<PileRefusedException>(() => pile.Pile.Put(order)).GraphPath);
        var source = new Source();
        Assert.Equal(0, pile.Twice(source).Count);
        source.Changed += static (_, _) => { };
        Assert.Equal("Source.Changed", Assert.Throws<PileRefusedException>(() => pile.Pile.Put(source)).GraphPath);
        int captured = 5;
        Func<int> closure = () => captured;
        foreach (object bad in new object[] { Task.CompletedTask, Stream.Null, new WeakReference(this), closure, closure.Target!, Iterate(), new[] { (nint)5 }.ToList(), Thread.CurrentThread, typeof(string).GetMethods()[0], new CancellationTokenSource(), new SemaphoreSlim(1) })
        {
            PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Pile.Put<object>(new object[] { 1, bad }));
            Assert.Equal(PileStatus.Refused, refused.Status);
            Assert.StartsWith("System.Object[][1]", refused.GraphPath, StringComparison.Ordinal);
        }

        Assert.Equal(before.Objects + 2, pile.Pile.GetStatistics().Objects);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void LayoutsOfBytesComeBack_82_To_85(string mode)
    {
        using var pile = new GraphPile(mode);
        var bytes = new Blob { Union = new Union { Whole = 0x01020304 }, Flags = Big.Top | Big.One };
        bytes.Ints[3] = 7;
        bytes.Texts[1] = "seven";
        Blob got = pile.Twice(bytes);
        Assert.Equal(7, got.Ints[3]);
        Assert.Equal("seven", got.Texts[1]);
        Assert.Equal(bytes.Union.Low, got.Union.Low);
        Assert.Equal(Big.Top | Big.One, got.Flags);
    }

    private static long RawOf(DateTime time) => MemoryMarshal.Cast<DateTime, long>(new ReadOnlySpan<DateTime>(in time))[0];

    private static object[] Boxed<T>(T[] values) => [.. values.Cast<object>()];

    private static void Throw(Exception inner) => throw new InvalidOperationException("outer", inner);

    private static IEnumerable<int> Iterate()
    {
        yield return 1;
    }

    internal abstract class Base(string name)
    {
        private readonly string _name = name;

        protected string BaseName => _name;
    }

    internal sealed class Derived(string name, string other) : Base(name)
    {
        private readonly string _name = other;

        public string Both => BaseName + _name;
    }

    internal sealed record Positional(string Name, int Number)
    {
        public required int Extra { get; init; }
    }

    internal readonly record struct Point(int X, string Label) : IComparable<Point>
    {
        public int CompareTo(Point other) => X - other.X;
    }

    internal sealed class Throwing
    {
        public Throwing() => throw new InvalidOperationException("never called");

        public int Value { get; set; }

        public static Throwing Make(int value)
        {
            var made = (Throwing)RuntimeHelpers.GetUninitializedObject(typeof(Throwing));
            made.Value = value;
            return made;
        }
    }

    internal sealed class Slots
    {
        public Base? Abstract { get; set; }

        public IComparable<Point>? Interface { get; set; }

        public object? Any { get; set; }

        public IEnumerable<object>? Many { get; set; }
    }

    internal sealed class Box<T>
    {
        public T? Value { get; set; }
    }

    private sealed class Hidden
    {
        public string? Name { get; set; }
    }

    internal record struct Nested<TFirst, TSecond>(TFirst First, object Second);

    internal sealed class Custom(string title) : List<int>
    {
        public string Title { get; } = title;
    }

    [Serializable]
    internal sealed class Protocol : ISerializable
    {
        internal Protocol(string text) => Text = text;

        private Protocol(SerializationInfo info, StreamingContext context) => Text = info.GetString("t")!;

        public string Text { get; }

        public void GetObjectData(SerializationInfo info, StreamingContext context) => info.AddValue("t", Text);
    }

    internal sealed class Plain(string message, int code) : Exception(message)
    {
        public int Code { get; } = code;
    }

    internal sealed class Called : IDeserializationCallback
    {
        public Called? Inner { get; set; }

        [field: NonSerialized]
        public List<string>? Calls { get; set; }

        [field: NonSerialized]
        public int Skipped { get; set; } = 5;

        public void OnDeserialization(object? sender) => Calls!.Add("notified");

        [OnDeserializing]
        private void Begin(StreamingContext context) => Calls = ["deserializing"];

        [OnDeserialized]
        private void End(StreamingContext context) => Calls!.Add("deserialized");
    }

    internal sealed class Order
    {
        public List<Line> Lines { get; init; } = [];
    }

    internal sealed class Line
    {
        public Action? Handler { get; set; }
    }

    internal sealed class Source
    {
        public event EventHandler? Changed;

        public int Count => Changed?.GetInvocationList().Length ?? 0;
    }

    [InlineArray(4)]
    internal struct FourInts
    {
        private int _first;
    }

    [InlineArray(2)]
    internal struct TwoTexts
    {
        private string _first;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal struct Union
    {
        [FieldOffset(0)]
        public int Whole;

        [FieldOffset(0)]
        public short Low;
    }

    [Flags]
    internal enum Big : ulong
    {
        None = 0,
        One = 1,
        Top = 1UL << 63,
    }

    internal sealed class Blob
    {
        public FourInts Ints;
        public TwoTexts Texts;
        public Union Union;
        public Big Flags;
    }
}
