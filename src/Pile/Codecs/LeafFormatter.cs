// Formatters of values that are one MessagePack value by themselves: numbers, text, times, identifiers.
// Each type has one way to be written, whichever plan does it.
using System;
using System.Collections.Generic;
using System.Numerics;
using System.Text;

namespace Pile.Codecs;

/// <summary>A formatter made of two functions.</summary>
internal sealed class LeafFormatter<T>(WireKind kind, LeafWrite<T> write, LeafRead<T> read) : Formatter<T>(kind)
{
    internal override void Write(GraphWriter writer, T value) => write(writer, value);

    internal override T Read(ref GraphReader reader) => read(ref reader);
}

/// <summary>The formatters of the types that the runtime and its libraries define as single values.</summary>
internal static class LeafFormatter
{
    /// <summary>Written out, so that programs compiled whole ahead of time have them.</summary>
    private static readonly Dictionary<Type, Func<Plan>> _plans = [];

    /// <summary>By static type.</summary>
    internal static Dictionary<Type, Formatter> All { get; } = Make();

    /// <summary>The plan of boxes of one of these types, or null for others, and for text.</summary>
    internal static Plan? PlanOf(Type type) => _plans.GetValueOrDefault(type)?.Invoke();

    private static Dictionary<Type, Formatter> Make()
    {
        Dictionary<Type, Formatter> all = [];
        AddIntegers(all);
        AddNumbers(all);
        AddTimes(all);
        Add<bool>(all, WireKind.Bool, static (w, v) => w.WriteBool(v), static (ref r) => r.Wire.ReadBool());
        Add<char>(all, WireKind.Char, static (w, v) => w.WriteChar(v), static (ref r) => r.Wire.ReadChar());
        all.Add(typeof(string), new LeafFormatter<string>(WireKind.Text, static (w, v) => w.WriteString(v), static (ref r) => r.ReadString()!));
        Add<Guid>(all, WireKind.Guid, static (w, v) => w.WriteGuid(in v), static (ref r) => r.Wire.ReadGuid());
        Add<Rune>(all, WireKind.Rune, static (w, v) => w.WriteInt32(v.Value), static (ref r) => ReadRune(ref r));
        Add<Index>(all, WireKind.Index, static (w, v) => w.WriteInt32(v.IsFromEnd ? ~v.Value : v.Value), static (ref r) => ReadIndex(ref r));
        return all;
    }

    private static void AddIntegers(Dictionary<Type, Formatter> all)
    {
        Add<sbyte>(all, WireKind.SByte, static (w, v) => w.WriteSByte(v), static (ref r) => r.Wire.ReadSByte());
        Add<byte>(all, WireKind.Byte, static (w, v) => w.WriteByte(v), static (ref r) => r.Wire.ReadByte());
        Add<short>(all, WireKind.Int16, static (w, v) => w.WriteInt16(v), static (ref r) => r.Wire.ReadInt16());
        Add<ushort>(all, WireKind.UInt16, static (w, v) => w.WriteUInt16(v), static (ref r) => r.Wire.ReadUInt16());
        Add<int>(all, WireKind.Int32, static (w, v) => w.WriteInt32(v), static (ref r) => r.Wire.ReadInt32());
        Add<uint>(all, WireKind.UInt32, static (w, v) => w.WriteUInt32(v), static (ref r) => r.Wire.ReadUInt32());
        Add<long>(all, WireKind.Int64, static (w, v) => w.WriteInt64(v), static (ref r) => r.Wire.ReadInt64());
        Add<ulong>(all, WireKind.UInt64, static (w, v) => w.WriteUInt64(v), static (ref r) => r.Wire.ReadUInt64());
        Add<Int128>(all, WireKind.Int128, static (w, v) => w.WriteInt128(v), static (ref r) => r.Wire.ReadInt128());
        Add<UInt128>(all, WireKind.UInt128, static (w, v) => w.WriteUInt128(v), static (ref r) => r.Wire.ReadUInt128());
        Add<BigInteger>(all, WireKind.BigInteger, static (w, v) => w.WriteBigInteger(v), static (ref r) => ReadBigInteger(ref r));
    }

    private static void AddNumbers(Dictionary<Type, Formatter> all)
    {
        Add<float>(all, WireKind.Single, static (w, v) => w.WriteSingle(v), static (ref r) => r.Wire.ReadSingle());
        Add<double>(all, WireKind.Double, static (w, v) => w.WriteDouble(v), static (ref r) => r.Wire.ReadDouble());
        Add<Half>(all, WireKind.Half, static (w, v) => w.WriteUInt16(BitConverter.HalfToUInt16Bits(v)), static (ref r) => BitConverter.UInt16BitsToHalf(r.Wire.ReadUInt16()));
        Add<decimal>(all, WireKind.Decimal, static (w, v) => w.WriteDecimal(v), static (ref r) => r.Wire.ReadDecimal());
    }

    private static void AddTimes(Dictionary<Type, Formatter> all)
    {
        Add<DateTime>(all, WireKind.DateTime, static (w, v) => w.WriteDateTime(v), static (ref r) => r.Wire.ReadDateTime());
        Add<DateTimeOffset>(all, WireKind.DateTimeOffset, static (w, v) => w.WriteDateTimeOffset(v), static (ref r) => r.Wire.ReadDateTimeOffset());
        Add<TimeSpan>(all, WireKind.TimeSpan, static (w, v) => w.WriteInt64(v.Ticks), static (ref r) => new TimeSpan(r.Wire.ReadInt64()));
        Add<DateOnly>(all, WireKind.DateOnly, static (w, v) => w.WriteInt32(v.DayNumber),
            static (ref r) => DateOnly.FromDayNumber((int)r.Wire.ReadRange(0, DateOnly.MaxValue.DayNumber)));
        Add<TimeOnly>(all, WireKind.TimeOnly, static (w, v) => w.WriteInt64(v.Ticks),
            static (ref r) => new TimeOnly(r.Wire.ReadRange(0, TimeOnly.MaxValue.Ticks)));
    }

    private static void Add<T>(Dictionary<Type, Formatter> all, WireKind kind, LeafWrite<T> write, LeafRead<T> read)
        where T : struct
    {
        var formatter = new LeafFormatter<T>(kind, write, read);
        all.Add(typeof(T), formatter);
        _plans.Add(typeof(T), () => new LeafPlan<T>(formatter));
    }

    private static Rune ReadRune(ref GraphReader reader) => Rune.TryCreate(reader.Wire.ReadInt32(), out Rune rune)
        ? rune
        : throw new PileCorruptedException($"A stored value is damaged: no Unicode scalar value before byte {reader.Wire.Position}.");

    private static Index ReadIndex(ref GraphReader reader)
    {
        int value = reader.Wire.ReadInt32();
        return value < 0 ? new Index(~value, fromEnd: true) : new Index(value);
    }

    private static BigInteger ReadBigInteger(ref GraphReader reader) => reader.Wire.ReadBigInteger();
}
