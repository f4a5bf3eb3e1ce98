using System;
using System.Numerics;
using System.Text;
using Pile.Codecs;
using Pile.Tests.Codecs.Cases;
using Pile.Tests.Codecs.Graphs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Types of single values alone, which are written and read without what graphs need: the bytes, and what damage does, are
/// the same as for others.</summary>
public sealed class FlatTests
{
    public static TheoryData<string> Modes => ["Reflection", "Emitted", "Auto"];

    [Theory]
    [MemberData(nameof(Modes))]
    public void TheBytesAreTheSameWhateverTheValueIsPutAs(string mode)
    {
        using var pile = new CasePile(mode);
        for (int round = 0; round < 3; round++)
        {
            Flat value = Make(round);
            byte[] exact = pile.BytesOf(value);
            Assert.Equal(exact, pile.BytesOf<object>(value));
            Assert.Equal(exact, pile.BytesOf<IFlat>(value));
            Assert.Null(GraphComparer.Difference(value, pile.Back(value)));
            Assert.Null(GraphComparer.Difference(value, pile.It.Get<IFlat>(pile.It.Put(value))));
            Assert.Null(GraphComparer.Difference(value, pile.It.Get<Flat>(pile.It.Put<object>(value))));
            var pair = new FlatPair { Name = "n" + round, Count = round };
            Assert.Equal(pile.BytesOf(pair), pile.BytesOf<object>(pair));
            Assert.Equal(pair, pile.It.Get<FlatPair>(pile.It.Put<object>(pair)));
            Assert.Equal(pair, pile.It.Get<object>(pile.It.Put(pair)));
        }
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void AnObjectOfADerivedClassIsKeptAsWhatItIs(string mode)
    {
        using var pile = new CasePile(mode);
        Base derived = new Derived { Number = 1, More = new CaseTypes.Node() };
        Assert.Equal(1, pile.It.Get<Base>(pile.It.Put(new Base { Number = 1 })).Number);
        Assert.NotNull(Assert.IsType<Derived>(pile.It.Get<Base>(pile.It.Put(derived))).More);
        Assert.Throws<PileTypeMismatchException>(() => pile.It.Get<Derived>(pile.It.Put(new Base())));
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void EveryFlippedByteAndEveryTruncationIsAnErrorOrAValue(string mode)
    {
        var store = new GraphStore(null, Enum.Parse<PlanMode>(mode));
        byte[] bytes = store.Write(Make(1));
        _ = store.Read<Flat>(bytes);
        int values = 0;
        for (int at = 0; at < bytes.Length; at++)
        {
            Assert.IsType<PileCorruptedException>(Try(store, bytes[..at]));
            for (int flip = 1; flip < 256; flip++)
            {
                byte[] damaged = [.. bytes];
                damaged[at] ^= (byte)flip;
                values += Try(store, damaged) is null ? 1 : 0;
            }
        }

        Assert.IsType<PileCorruptedException>(Try(store, [.. bytes, 0xc0]));
        Assert.True(values > 0);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void ReferencesAndAnnouncementsAreDamageThere(string mode)
    {
        var store = new GraphStore(null, Enum.Parse<PlanMode>(mode));
        byte[] bytes = store.Write(new FlatPair { Name = "name", Count = 5 });
        Assert.Equal("name", store.Read<FlatPair>(bytes).Name);
        byte number = bytes[1];
        foreach (byte[] text in new byte[][] { [0xd4, 1, 0], [0xd4, 1, 2], [0xd4, 2, number], [0xc7, 3, 6, 0, 0, 0], [0xd9, 255, 1], [0x91, number] })
        {
            Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<FlatPair>([bytes[0], number, .. text, 5])));
        }

        // A root with references, though there can be none, is read as any other.
        Assert.Equal("name", store.Read<FlatPair>([0x92, 0xc3, .. bytes]).Name);
    }

    private static Exception? Try(GraphStore store, byte[] payload)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        Exception? failure = Record.Exception(() => store.Read<Flat>(payload));
        long asked = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(failure is null or PileException, $"{Convert.ToHexString(payload)}: {failure}");
        Assert.True(asked < (payload.Length * 64L) + (256 << 10), $"{asked:N0} bytes for {Convert.ToHexString(payload)}");
        return failure;
    }

    private static Flat Make(int seed) => new()
    {
        Yes = seed % 2 == 0,
        Letter = (char)('a' + seed),
        Small = (sbyte)-seed,
        Byte = (byte)(200 + seed),
        Short = (short)(seed * -1000),
        Number = seed * 70_000,
        Long = long.MinValue + seed,
        Unsigned = ulong.MaxValue - (ulong)seed,
        Single = seed / 3f,
        Double = seed / 7d,
        Half = (Half)seed,
        Amount = seed == 0 ? decimal.MinValue : 1.50m * seed,
        Text = seed == 0 ? null : new string('x', seed * 40),
        Odd = "\ud800",
        Id = new Guid(seed, 2, 3, [4, 5, 6, 7, 8, 9, 10, 11]),
        When = new DateTime(seed, DateTimeKind.Local),
        Where = new DateTimeOffset(seed + TimeSpan.TicksPerDay, TimeSpan.FromHours(seed)),
        Span = TimeSpan.FromTicks(-seed),
        Day = DateOnly.MinValue.AddDays(seed),
        Time = TimeOnly.MinValue.AddMinutes(seed),
        Rune = new Rune(0x1f600 + seed),
        Last = new Index(seed, fromEnd: true),
        Large = BigInteger.Pow(-10, seed * 20),
        Wide = (Int128)seed << 100,
        Weekday = (DayOfWeek)seed,
        Maybe = seed == 1 ? null : seed,
    };

    internal interface IFlat;

    internal sealed class Flat : IFlat
    {
        public bool Yes { get; init; }

        public char Letter { get; init; }

        public sbyte Small { get; init; }

        public byte Byte { get; init; }

        public short Short { get; init; }

        public int Number { get; init; }

        public long Long { get; init; }

        public ulong Unsigned { get; init; }

        public float Single { get; init; }

        public double Double { get; init; }

        public Half Half { get; init; }

        public decimal Amount { get; init; }

        public string? Text { get; init; }

        public string? Odd { get; init; }

        public Guid Id { get; init; }

        public DateTime When { get; init; }

        public DateTimeOffset Where { get; init; }

        public TimeSpan Span { get; init; }

        public DateOnly Day { get; init; }

        public TimeOnly Time { get; init; }

        public Rune Rune { get; init; }

        public Index Last { get; init; }

        public BigInteger Large { get; init; }

        public Int128 Wide { get; init; }

        public DayOfWeek Weekday { get; init; }

        public int? Maybe { get; init; }
    }

    internal record struct FlatPair
    {
        public string Name { get; set; }

        public int Count { get; set; }
    }

    internal class Base
    {
        public int Number { get; init; }
    }

    internal sealed class Derived : Base
    {
        public CaseTypes.Node? More { get; init; }
    }
}
