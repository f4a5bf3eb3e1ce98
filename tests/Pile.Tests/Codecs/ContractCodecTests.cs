using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using Xunit;
using static Pile.Tests.Codecs.ContractTypes;

namespace Pile.Tests.Codecs;

/// <summary>Contracts as MessagePack arrays. Bytes that are expected are those of the MessagePack specification and of
/// MessagePack-CSharp's forms: text for Guid and decimal, timestamps for times, arrays by Order.</summary>
public sealed class ContractCodecTests
{
    private static readonly PileContractCodec<Order> _orders = new();

    [Fact]
    public void AnObjectIsAnArrayByOrderWithNilInTheGaps()
    {
        var line = new Line { Article = "a", Price = 1.50m };
        Assert.Equal("92a161a4312e3530", Hex(line));
        Assert.Equal("94" + "05" + "a14e" + "c0" + "9192a161a4312e3530", Hex(new Order { Number = 5, Name = "N", Lines = [line], Ignored = 7 }));
        Assert.Equal("94" + "ff" + "c0" + "c0" + "c0", Hex(new Order { Number = -1 }));
        Assert.Equal("92" + "cd03e8" + "c3", Hex(new Point { X = 1000, IsSet = true }));
        Assert.Equal("90", Hex(new Nothing()));
    }

    [Fact]
    public void EveryValueHasTheFormThatOthersRead()
    {
        Assert.Equal("91" + "d92464386533303862322d346163662d343763302d393830312d343735386638343133666664", Hex(new Holder<Guid> { Value = new Guid("d8e308b2-4acf-47c0-9801-4758f8413ffd") }));
        Assert.Equal("91" + "a52d302e3130", Hex(new Holder<decimal> { Value = -0.10m }));
        Assert.Equal("91" + "d6ff65920080", Hex(new Holder<DateTime> { Value = new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc) }));
        Assert.Equal("91" + "d7ff0000019065920080", Hex(new Holder<DateTime> { Value = new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddTicks(1) }));
        Assert.Equal("91" + "c70cff00000000fffffff1886e0900", Hex(new Holder<DateTime> { Value = DateTime.MinValue }));
        Assert.Equal("91" + "92d6ff65920e9004", Hex(new Holder<DateTimeOffset> { Value = new DateTimeOffset(2024, 1, 1, 1, 0, 0, TimeSpan.FromMinutes(4)) }));
        Assert.Equal("91" + "ca3fc00000", Hex(new Holder<float> { Value = 1.5f }));
        Assert.Equal("91" + "cb3ff8000000000000", Hex(new Holder<double> { Value = 1.5 }));
        Assert.Equal("91" + "c403010203", Hex(new Holder<byte[]?> { Value = [1, 2, 3] }));
        Assert.Equal("91" + "93010203", Hex(new Holder<int[]?> { Value = [1, 2, 3] }));
        Assert.Equal("91" + "c0", Hex(new Holder<int?>()));
        Assert.Equal("91" + "05", Hex(new Holder<DayOfWeek> { Value = DayOfWeek.Friday }));
        Assert.Equal("91" + "82a16101a16202", Hex(new Holder<Dictionary<string, int>?> { Value = new() { ["a"] = 1, ["b"] = 2 } }));
        Assert.Equal("91" + "ceffffffff", Hex(new Holder<long> { Value = uint.MaxValue }));
    }

    [Fact]
    public void WhatWasWrittenComesBack()
    {
        Back(true);
        Back((sbyte)-5);
        Back((byte)200);
        Back(short.MinValue);
        Back(ushort.MaxValue);
        Back(int.MinValue);
        Back(uint.MaxValue);
        Back(long.MinValue);
        Back(ulong.MaxValue);
        Back('\u20ac');
        Back(float.Epsilon);
        Back(double.NaN);
        Back("text \u20ac " + new string('x', 300));
        Back<string?>(null);
        Back(DateTime.MaxValue.ToUniversalTime());
        Back(new DateTime(1, DateTimeKind.Utc));
        Back(new DateTime(1969, 12, 31, 23, 59, 59, 999, DateTimeKind.Utc));
        Back(new DateTime(2514, 5, 30, 1, 53, 4, DateTimeKind.Utc));
        Back(DateTimeOffset.MinValue);
        Back(new DateTimeOffset(2026, 11, 21, 12, 0, 0, TimeSpan.FromHours(-14)));
        Back(TimeSpan.MinValue);
        Back(DateOnly.MaxValue);
        Back(TimeOnly.MaxValue);
        Back(Guid.NewGuid());
        Back(decimal.MinValue);
        Back(0.0000000000000000000000000001m);
        Back<DayOfWeek?>(DayOfWeek.Monday);
        Back<List<int?>?>([1, null]);
        Back<Point[]?>([new Point { X = 1 }, new Point { X = 2, IsSet = true }]);
        Back<Dictionary<Guid, List<string?>?>?>(new() { [Guid.Empty] = ["a", null], [Guid.NewGuid()] = null });

        Order order = _orders.Read(Bytes(new Order { Number = 5, Name = "N", Lines = [new Line { Article = "a", Price = 2 }], Ignored = 7 }));
        Assert.Equal((5, "N", 1, "a", 2m, 0), (order.Number, order.Name, order.Lines!.Count, order.Lines[0].Article, order.Lines[0].Price, order.Ignored));
        Assert.Equal(DateTimeKind.Utc, Once(new DateTime(5, DateTimeKind.Unspecified)).Kind);
        DateTime local = new DateTime(2026, 7, 1, 12, 0, 0, DateTimeKind.Utc).ToLocalTime();
        Assert.Equal(local.ToUniversalTime(), Once(local));
    }

    [Fact]
    public void WhatOthersWriteInOtherWidthsLongerOrShorterIsRead()
    {
        var numbers = new PileContractCodec<Holder<int>>();
        Assert.Equal(5, numbers.Read([0x91, 0xd3, 0, 0, 0, 0, 0, 0, 0, 5]).Value);
        Assert.Equal(5, numbers.Read([0x95, 5, 0x81, 1, 2, 0xa1, 0x61, 0xd6, 0xff, 0, 0, 0, 0, 0x91, 0xc0]).Value);
        Assert.Equal(0, numbers.Read([0x90]).Value);
        var reals = new PileContractCodec<Holder<double>>();
        Assert.Equal(7, reals.Read([0x91, 7]).Value);
        Assert.Equal(1.5, reals.Read([0x91, 0xca, 0x3f, 0xc0, 0, 0]).Value);
        Assert.Equal(ulong.MaxValue, reals.Read([0x91, 0xcf, 255, 255, 255, 255, 255, 255, 255, 255]).Value);
        Assert.Equal("N", _orders.Read([0x92, 0xcd, 0, 5, 0xd9, 1, 0x4e]).Name);
        Assert.Equal(new Dictionary<string, int> { ["a"] = 2 }, new PileContractCodec<Holder<Dictionary<string, int>?>>().Read([0x91, 0x82, 0xa1, 0x61, 1, 0xa1, 0x61, 2]).Value);
    }

    [Fact]
    public void FieldsStructsAndPropertiesWithoutSetterAreMembersToo()
    {
        var point = new PileContractCodec<Point>();
        Assert.Equal((7, true), (point.Read(Bytes(new Point { X = 7, IsSet = true })).X, point.Read(Bytes(new Point { IsSet = true })).IsSet));
        Odd odd = new PileContractCodec<Odd>().Read(Bytes(new Odd(3) { Field = 4 }));
        Assert.Equal((3, 4, 6), (odd.Fixed, odd.Field, odd.Computed));
    }

    [Fact]
    public void APropertyThatGivesAFieldIsReadIntoIt()
    {
        Over<string> over = new PileContractCodec<Over<string>>().Read(Bytes(new Over<string>(1, "x")));
        Assert.Equal((1, "x"), (over.Number, over.Text));
        OverAgain again = new PileContractCodec<OverAgain>().Read(Bytes(new OverAgain(1, "x")));
        Assert.Equal((1, "x", 2), (again.Number, again.Text, again.More));
        Assert.Equal(5, new PileContractCodec<Above>().Read(Bytes(new Above(5))).Number);
    }

    [Fact]
    public void ATypeOfWhichNothingCouldBeReadIsRefusedWithTheWayOut()
    {
        string message = Refused<OnlyComputed>();
        Assert.Contains("OnlyComputed has no member that can be read (Doubled)", message, StringComparison.Ordinal);
        Assert.Contains("Give them setters", message, StringComparison.Ordinal);
        Assert.Equal(message, Refused<Holder<OnlyComputed>>());
    }

    [Fact]
    public void WhatABaseKeepsToItselfIsReadToo()
    {
        var heir = new Heir();
        heir.Fill();
        Heir read = new PileContractCodec<Heir>().Read(Bytes(heir));
        Assert.Equal((5, 6), (read.Doubled, read.Auto));
    }

    [Fact]
    public void ANumberThatIsNoneComesBackAsItWas()
    {
        // From bytes: the compiler may keep a constant as a double, which makes a signalling one quiet.
        byte[] signalling = [0x91, 0xca, 0x7f, 0xa0, 0, 1];
        Assert.Equal(signalling, Bytes(new PileContractCodec<Holder<float>>().Read(signalling)));
    }

    [Fact]
    public void AGetterThatWritesAContractItselfIsNoTrouble()
    {
        // Inside, [ "1" ] is written, as hex: "91a131".
        Assert.Equal("92" + "a6393161313331" + "01", Hex(new Nested { After = 1 }));
    }

    [Fact]
    public void BehindThePilesDoorTheBytesAreThoseOfTheContract()
    {
        var options = new PileOptions { Codecs = new PileCodecs().Add(1, new PileContractCodec<Order>()) };
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = options.Codecs });
        var order = new Order { Number = 5, Name = "N" };
        PilePointer pointer = pile.It.Put(order);
        Assert.Equal("N", pile.It.Get<Order>(pointer).Name);
        using PileLease lease = pile.It.Lease(pointer);
        Assert.Equal(Hex(order), Convert.ToHexStringLower(lease.Bytes[8..]));
    }

    [Fact]
    public void WhatIsNoContractIsToldWhenTheCodecIsMade()
    {
        Assert.Contains("has no [DataContract]", Refused<Uri>(), StringComparison.Ordinal);
        Assert.Contains("WithoutOrder.Name has Order -1", Refused<WithoutOrder>(), StringComparison.Ordinal);
        Assert.Contains("the same Order 1", Refused<SameOrder>(), StringComparison.Ordinal);
        Assert.Contains("Hidden.Name is marked [DataMember] but has no public getter", Refused<Hidden>(), StringComparison.Ordinal);
        Assert.Contains("HasHidden._name is marked [DataMember] but has no public getter", Refused<HeirOfHidden>(), StringComparison.Ordinal);
        Assert.Contains("can't hold System.Object", Refused<Holder<object>>(), StringComparison.Ordinal);
        Assert.Contains("can't hold System.Uri", Refused<Holder<List<Dictionary<int, Uri>>>>(), StringComparison.Ordinal);
        Assert.Contains("is abstract", Refused<Holder<Open>>(), StringComparison.Ordinal);
        Assert.Contains("1024", Refused<FarOrder>(), StringComparison.Ordinal);
    }

    [Fact]
    public void AValueThatTheFormCantSayIsRefusedBeforeItIsStored()
    {
        var chain = new Chain();
        chain.Next = chain;
        Assert.Contains("contains itself", Assert.Throws<PileRefusedException>(() => Bytes(chain)).Message, StringComparison.Ordinal);
        Assert.Contains("surrogate", Assert.Throws<PileRefusedException>(() => Bytes(new Line { Article = "\ud800" })).Message, StringComparison.Ordinal);
        Assert.Contains("Longer", Assert.Throws<PileRefusedException>(() => Bytes(new Holder<Line?> { Value = new Longer() })).Message, StringComparison.Ordinal);
        Assert.Throws<PileRefusedException>(() => Bytes(new Holder<Line[]?> { Value = new Longer[1] }));

        var deep = new Chain();
        for (int level = 1; level < 64; level++)
        {
            deep = new Chain { Next = deep };
        }

        int depth = 0;
        for (Chain? at = new PileContractCodec<Chain>().Read(Bytes(deep)); at is not null; at = at.Next)
        {
            depth++;
        }

        Assert.Equal(64, depth);
        Assert.Throws<PileRefusedException>(() => Bytes(new Chain { Next = deep }));
    }

    [Fact]
    public void DamagedBytesAreAnErrorOrAValueAndAskForLittleMemory()
    {
        const int Seed = 20261121;
        const int Mutations = 20_000;
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {Seed}");
        var codec = new PileContractCodec<Everything>();
        byte[] bytes = Bytes(Everything.Make());
        _ = codec.Read(bytes);
        for (int length = 0; length < bytes.Length; length++)
        {
            Assert.IsType<PileCorruptedException>(Try(bytes[..length]));
            for (int flip = 1; flip < 256; flip++)
            {
                byte[] damaged = [.. bytes];
                damaged[length] ^= (byte)flip;
                Try(damaged);
            }
        }

        var random = new Random(Seed);
        for (int round = 0; round < Mutations; round++)
        {
            byte[] damaged = [.. bytes];
            for (int flips = random.Next(1, 6); flips > 0; flips--)
            {
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            }

            Try(damaged);
        }

        Assert.IsType<PileCorruptedException>(Try([.. bytes, 0xc0]));
        Assert.IsType<PileCorruptedException>(Try([0xc0]));
        Assert.IsType<PileCorruptedException>(Record.Exception(() => new PileContractCodec<Chain>().Read([.. Enumerable.Repeat((byte)0x91, 100_000), 0xc0])));

        Exception? Try(byte[] payload)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            Exception? failure = Record.Exception(() => codec.Read(payload));
            long asked = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.True(failure is null or PileCorruptedException or PileTypeMismatchException, $"seed {Seed}, {Convert.ToHexString(payload)}: {failure}");
            Assert.True(asked < (payload.Length * 64L) + (64 << 10), $"seed {Seed}: {asked:N0} bytes for {Convert.ToHexString(payload)}");
            return failure;
        }
    }

    private static string Refused<T>()
        where T : notnull => Assert.Throws<ArgumentException>(static () => new PileContractCodec<T>()).Message;

    private static byte[] Bytes<T>(T value)
        where T : notnull
    {
        var writer = new ArrayBufferWriter<byte>();
        new PileContractCodec<T>().Write(value, writer);
        return writer.WrittenSpan.ToArray();
    }

    private static string Hex<T>(T value)
        where T : notnull => Convert.ToHexStringLower(Bytes(value));

    private static T Once<T>(T value) => new PileContractCodec<Holder<T>>().Read(Bytes(new Holder<T> { Value = value })).Value;

    private static void Back<T>(T value) => Assert.Equal(value, Once(value));
}
