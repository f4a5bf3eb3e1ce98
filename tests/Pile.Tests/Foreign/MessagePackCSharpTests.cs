using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.Serialization;
using System.Text;
using MessagePack;
using Pile.Tests.Codecs;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Foreign;

/// <summary>MessagePack-CSharp itself: contracts have its bytes and each reads the other's; the general codec's bytes are read by it.</summary>
public sealed class MessagePackCSharpTests
{
    private static readonly PileContractCodec<Contract> _ours = new();

    public static TheoryData<string> Contracts => [.. _contracts.Keys];

    private static readonly Dictionary<string, Func<Contract>> _contracts = new()
    {
        ["empty"] = static () => new Contract(),
        ["full"] = static () => Full(),
        ["nested"] = static () => new Contract { Inner = new Contract { Inner = Full() }, Others = [Full(), new Contract()] },
        ["edges"] = static () => new Contract
        {
            Text = new string('\u20ac', 300),
            Price = -79228162514264337593543950335m,
            When = DateTime.MaxValue.ToUniversalTime(),
            At = new DateTimeOffset(2026, 11, 21, 12, 0, 0, TimeSpan.FromMinutes(-570)),
            Numbers = [int.MinValue, int.MaxValue, -32, -33, 127, 128, 255, 256, 65535, 65536],
            Large = ulong.MaxValue,
            Small = sbyte.MinValue,
            Single = float.NaN,
            Double = double.NegativeInfinity,
            Bytes = new byte[70_000],
            Span = TimeSpan.MinValue,
            Letter = '\uffff',
            Names = new Dictionary<int, string?> { [-1] = null, [70_000] = "" },
        },
        ["before 1970"] = static () => new Contract { When = new DateTime(1969, 7, 20, 20, 17, 40, 250, DateTimeKind.Utc).AddTicks(7), At = new DateTimeOffset(1812, 1, 2, 3, 4, 5, TimeSpan.FromHours(14)) },
    };

    public static TheoryData<string> Values => [.. Corpus.Names];

    [Theory]
    [MemberData(nameof(Contracts))]
    public void AContractHasItsBytesAndEachReadsTheOthers(string name)
    {
        Contract contract = _contracts[name]();
        byte[] theirs = MessagePackSerializer.Serialize(contract, cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(Convert.ToHexString(theirs), Convert.ToHexString(Write(contract)));
        Assert.Equal(theirs, Write(_ours.Read(theirs)));
        Assert.Equal(theirs, MessagePackSerializer.Serialize(MessagePackSerializer.Deserialize<Contract>(theirs, cancellationToken: TestContext.Current.CancellationToken), cancellationToken: TestContext.Current.CancellationToken));
    }

    [Fact]
    public void WhatIsShorterOrLongerIsReadByBoth()
    {
        byte[] shorter = MessagePackSerializer.Serialize(new Shorter { Text = "kept" }, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal("kept", _ours.Read(shorter).Text);
        byte[] longer = Write(Full());
        Assert.Equal(Full().Text, MessagePackSerializer.Deserialize<Shorter>(longer, cancellationToken: TestContext.Current.CancellationToken).Text);
        Assert.Equal(Full().Text, new PileContractCodec<Shorter>().Read(longer).Text);
    }

    [Fact]
    public void BehindACodecThatReadsMemoryItKeepsWhatItIsGiven()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = new PileCodecs().Add(1, new Codec<Contract>()) });
        PilePointer pointer = pile.It.Put(Full());

        Assert.Equal(Write(Full()), Write(pile.It.Get<Contract>(pointer)));
        using PileLease lease = pile.It.Lease(pointer);
        Assert.Equal(Write(Full()), lease.Bytes[8..].ToArray());
    }

    [Theory]
    [MemberData(nameof(Values))]
    public void EveryValueOfTheGeneralCodecIsReadAsWhatItIs(string name)
    {
        byte[] bytes = new GraphStore().Write(Corpus.Make(name));
        var reader = new MessagePackReader(bytes);
        var text = new StringBuilder();

        Say(ref reader, text);

        Assert.True(reader.End);
        Assert.Equal(WireWalk.TextOf(bytes), text.ToString());
    }

    private static byte[] Write(Contract contract)
    {
        var writer = new ArrayBufferWriter<byte>();
        _ours.Write(contract, writer);
        return writer.WrittenSpan.ToArray();
    }

    /// <summary>What its reader sees, as <see cref="WireWalk"/> writes it.</summary>
    private static void Say(ref MessagePackReader reader, StringBuilder text)
    {
        switch (reader.NextMessagePackType)
        {
            case MessagePackType.Nil:
                _ = reader.ReadNil();
                text.Append("nil");
                break;
            case MessagePackType.Boolean:
                text.Append(reader.ReadBoolean() ? "true" : "false");
                break;
            case MessagePackType.Integer:
                text.Append(reader.NextCode == MessagePackCode.UInt64 ? reader.ReadUInt64().ToString(CultureInfo.InvariantCulture) : reader.ReadInt64().ToString(CultureInfo.InvariantCulture));
                break;
            case MessagePackType.Float:
                text.Append(WireWalk.TextOf(reader.ReadDouble()));
                break;
            case MessagePackType.String:
                text.Append('s').Append(Convert.ToHexStringLower(reader.ReadStringSequence()!.Value.ToArray()));
                break;
            case MessagePackType.Binary:
                text.Append('b').Append(Convert.ToHexStringLower(reader.ReadBytes()!.Value.ToArray()));
                break;
            case MessagePackType.Extension:
                ExtensionResult extension = reader.ReadExtensionFormat();
                text.Append(CultureInfo.InvariantCulture, $"x{extension.TypeCode}:{Convert.ToHexStringLower(extension.Data.ToArray())}");
                break;
            default:
                bool isMap = reader.NextMessagePackType == MessagePackType.Map;
                int count = isMap ? reader.ReadMapHeader() * 2 : reader.ReadArrayHeader();
                text.Append(isMap ? '{' : '[');
                for (int index = 0; index < count; index++)
                {
                    text.Append(index > 0 ? "," : "");
                    Say(ref reader, text);
                }

                text.Append(isMap ? '}' : ']');
                break;
        }
    }

    private static Contract Full() => new()
    {
        Text = "tea \u20ac",
        Price = 2.50m,
        When = new DateTime(2026, 11, 22, 1, 2, 3, DateTimeKind.Utc).AddTicks(1_234_567),
        At = new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.FromHours(-5)),
        Id = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"),
        Numbers = [1, -1, 300, 70_000],
        Amounts = new Dictionary<string, int> { ["a"] = 1, ["b"] = -1 },
        Large = 1UL << 40,
        Small = -5,
        Single = 1.5f,
        Double = -0.25,
        Bytes = [1, 2, 3],
        Span = TimeSpan.FromSeconds(5),
        Day = DayOfWeek.Friday,
        Letter = 'x',
        Date = new DateOnly(2026, 1, 2),
        Time = new TimeOnly(3, 4, 5),
        IsSet = true,
        Maybe = 7,
        Prices = [1.50m, null],
        Points = [new Point { X = -1, Y = 2 }],
        Names = new Dictionary<int, string?> { [5] = "five" },
    };

    [DataContract]
    public sealed class Contract
    {
        [DataMember(Order = 0)]
        public string? Text { get; set; }

        [DataMember(Order = 2)]
        public decimal Price { get; set; }

        [DataMember(Order = 3)]
        public DateTime When { get; set; }

        [DataMember(Order = 4)]
        public DateTimeOffset At { get; set; }

        [DataMember(Order = 5)]
        public Guid Id { get; set; }

        [DataMember(Order = 6)]
        public List<int>? Numbers { get; set; }

        [DataMember(Order = 7)]
        public Dictionary<string, int>? Amounts { get; set; }

        [DataMember(Order = 8)]
        public ulong Large { get; set; }

        [DataMember(Order = 9)]
        public float Single { get; set; }

        [DataMember(Order = 10)]
        public double Double { get; set; }

        [DataMember(Order = 11)]
        public byte[]? Bytes { get; set; }

        [DataMember(Order = 12)]
        public TimeSpan Span { get; set; }

        [DataMember(Order = 13)]
        public DayOfWeek Day { get; set; }

        [DataMember(Order = 14)]
        public int? Maybe { get; set; }

        [DataMember(Order = 15)]
        public char Letter { get; set; }

        [DataMember(Order = 16)]
        public DateOnly Date { get; set; }

        [DataMember(Order = 17)]
        public TimeOnly Time { get; set; }

        [DataMember(Order = 18)]
        public Contract? Inner { get; set; }

        [DataMember(Order = 19)]
        public bool IsSet { get; set; }

        [DataMember(Order = 20)]
        public sbyte Small { get; set; }

        [DataMember(Order = 21)]
        public List<decimal?>? Prices { get; set; }

        [DataMember(Order = 22)]
        public Point[]? Points { get; set; }

        [DataMember(Order = 23)]
        public Dictionary<int, string?>? Names { get; set; }

        [DataMember(Order = 24)]
        public Contract[]? Others { get; set; }
    }

    [DataContract]
    public sealed class Shorter
    {
        [DataMember(Order = 0)]
        public string? Text { get; set; }
    }

    [DataContract]
    public record struct Point
    {
        [DataMember(Order = 0)]
        public int X { get; set; }

        [DataMember(Order = 1)]
        public long Y { get; set; }
    }

    private sealed class Codec<T> : IPileMemoryCodec<T>
        where T : notnull
    {
        public void Write(T value, IBufferWriter<byte> writer) => MessagePackSerializer.Serialize(writer, value);

        public T Read(ReadOnlyMemory<byte> payload) => MessagePackSerializer.Deserialize<T>(payload);
    }
}
