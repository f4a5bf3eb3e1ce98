// Which formatter a contract's place has, by its static type: single values, nullable ones, arrays, lists, dictionaries, and other
// contracts. Everything else is an error of the contract, told when the codec is made.
// Sources: the MessagePack specification; the README of MessagePack-CSharp for the forms of .NET's types.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>All formatters of contracts.</summary>
internal static class ContractFormatters
{
    private static readonly ConditionalWeakTable<Type, ContractFormatter> _all = [];

    private static readonly Dictionary<Type, ContractFormatter> _values = MakeValues();

    /// <summary>The formatter of places of type T.</summary>
    /// <exception cref="ArgumentException">A contract can't hold such values.</exception>
    internal static ContractFormatter<T> Of<T>() => (ContractFormatter<T>)Of(typeof(T));

    /// <summary>The formatter of places of a type.</summary>
    /// <exception cref="ArgumentException">A contract can't hold such values.</exception>
    internal static ContractFormatter Of(Type type) => _all.GetValue(type, Make);

    /// <summary>Makes sure that a contract can hold a type, and everything inside it.</summary>
    /// <exception cref="ArgumentException">It can't; the message says what and why.</exception>
    internal static void Check(Type type)
    {
        HashSet<Type> seen = [type];
        Queue<Type> open = new([type]);
        while (open.TryDequeue(out Type? at))
        {
            foreach (Type inner in Of(at).Inner)
            {
                if (seen.Add(inner))
                {
                    open.Enqueue(inner);
                }
            }
        }
    }

    private static ContractFormatter Make(Type type)
    {
        if (_values.TryGetValue(type, out ContractFormatter? value))
        {
            return value;
        }

        if (type.IsEnum)
        {
            return Create(typeof(ContractEnum<,>), type, Enum.GetUnderlyingType(type));
        }

        if (Nullable.GetUnderlyingType(type) is { } inner)
        {
            return Create(typeof(ContractNullable<>), inner);
        }

        if (type.IsSZArray)
        {
            return Create(typeof(ContractArray<>), type.GetElementType()!);
        }

        Type? definition = type.IsGenericType ? type.GetGenericTypeDefinition() : null;
        return definition == typeof(List<>) ? Create(typeof(ContractList<>), type.GetGenericArguments())
            : definition == typeof(Dictionary<,>) ? Create(typeof(ContractMap<,>), type.GetGenericArguments())
            : type.IsDefined(typeof(DataContractAttribute), inherit: false) ? Create(typeof(ContractObject<>), type)
            : throw new ArgumentException($"A contract can't hold {TypeName.Display(type)}: only single values, nullable ones, arrays, List, Dictionary and types with [DataContract].");
    }

    private static ContractFormatter Create(Type definition, params Type[] arguments) => (ContractFormatter)Activator.CreateInstance(
        definition.MakeGenericType(arguments), BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DoNotWrapExceptions, null, null, null)!;

    private static Dictionary<Type, ContractFormatter> MakeValues()
    {
        Dictionary<Type, ContractFormatter> all = [];
        Add<bool>(static (w, v) => w.WriteBool(v), static (ref r) => r.Wire.ReadBool());
        Add<sbyte>(static (w, v) => w.WriteSByte(v), static (ref r) => r.Wire.ReadSByte());
        Add<byte>(static (w, v) => w.WriteByte(v), static (ref r) => r.Wire.ReadByte());
        Add<short>(static (w, v) => w.WriteInt16(v), static (ref r) => r.Wire.ReadInt16());
        Add<ushort>(static (w, v) => w.WriteUInt16(v), static (ref r) => r.Wire.ReadUInt16());
        Add<int>(static (w, v) => w.WriteInt32(v), static (ref r) => r.Wire.ReadInt32());
        Add<uint>(static (w, v) => w.WriteUInt32(v), static (ref r) => r.Wire.ReadUInt32());
        Add<long>(static (w, v) => w.WriteInt64(v), static (ref r) => r.Wire.ReadInt64());
        Add<ulong>(static (w, v) => w.WriteUInt64(v), static (ref r) => r.Wire.ReadUInt64());
        Add<char>(static (w, v) => w.WriteChar(v), static (ref r) => r.Wire.ReadChar());
        Add<float>(static (w, v) => w.WriteSingle(v), static (ref r) => WireTypes.Of(r.Wire.Peek()) == WireType.Single ? r.Wire.ReadSingle() : (float)ReadNumber(ref r));
        Add<double>(static (w, v) => w.WriteDouble(v), static (ref r) => ReadNumber(ref r));
        Add<string>(WriteText, static (ref r) => ReadText(ref r)!);
        Add<byte[]>(WriteBytes, static (ref r) => ReadBytes(ref r)!);
        Add<DateTime>(static (w, v) => WireTimestamp.Write(w, v), static (ref r) => WireTimestamp.Read(ref r.Wire));
        Add<DateTimeOffset>(WriteOffset, static (ref r) => ReadOffset(ref r));
        Add<TimeSpan>(static (w, v) => w.WriteInt64(v.Ticks), static (ref r) => new TimeSpan(r.Wire.ReadInt64()));
        Add<DateOnly>(static (w, v) => w.WriteInt32(v.DayNumber), static (ref r) => DateOnly.FromDayNumber((int)r.Wire.ReadRange(0, DateOnly.MaxValue.DayNumber)));
        Add<TimeOnly>(static (w, v) => w.WriteInt64(v.Ticks), static (ref r) => new TimeOnly(r.Wire.ReadRange(0, TimeOnly.MaxValue.Ticks)));
        Add<Guid>(static (w, v) => w.WriteText(v.ToString("D")), static (ref r) => Parse<Guid>(ref r));
        Add<decimal>(static (w, v) => w.WriteText(v.ToString(CultureInfo.InvariantCulture)), static (ref r) => Parse<decimal>(ref r));
        return all;

        void Add<T>(Action<WireWriter, T> write, ContractRead<T> read) => all.Add(typeof(T), new ContractValue<T>(write, read));
    }

    private static void WriteText(WireWriter writer, string? text)
    {
        if (text is null)
        {
            writer.WriteNil();
            return;
        }

        int start = writer.Length;
        writer.WriteText(text);
        if (WireTypes.IsExtension(writer.Written[start]))
        {
            throw new PileRefusedException("A text has half of a surrogate pair, which MessagePack has no form for.", text, "");
        }
    }

    private static string? ReadText(ref ContractReader reader)
    {
        if (reader.Wire.TryReadNil())
        {
            return null;
        }

        return WireTypes.Of(reader.Wire.Peek()) == WireType.Text ? reader.Wire.ReadText() : throw Wrong(ref reader, "text");
    }

    private static T Parse<T>(ref ContractReader reader)
        where T : IParsable<T> => T.TryParse(ReadText(ref reader), CultureInfo.InvariantCulture, out T? value)
            ? value
            : throw Wrong(ref reader, typeof(T).Name);

    /// <summary>A number: other encoders write whole ones as integers.</summary>
    private static double ReadNumber(ref ContractReader reader) => WireTypes.Of(reader.Wire.Peek()) switch
    {
        WireType.Single => reader.Wire.ReadSingle(),
        WireType.Integer => reader.Wire.Peek() == WireCode.UInt64 ? reader.Wire.ReadUInt64() : reader.Wire.ReadInt64(),
        _ => reader.Wire.ReadDouble(),
    };

    private static void WriteBytes(WireWriter writer, byte[]? bytes)
    {
        if (bytes is null)
        {
            writer.WriteNil();
        }
        else
        {
            writer.WriteBinary(bytes);
        }
    }

    private static byte[]? ReadBytes(ref ContractReader reader) => reader.Wire.TryReadNil() ? null : reader.Wire.ReadBinary().ToArray();

    /// <summary>The local time as if it were UTC, and the minutes that it is ahead.</summary>
    private static void WriteOffset(WireWriter writer, DateTimeOffset value)
    {
        writer.WriteArrayHeader(2);
        WireTimestamp.Write(writer, new DateTime(value.Ticks, DateTimeKind.Utc));
        writer.WriteInt32(value.TotalOffsetMinutes);
    }

    private static DateTimeOffset ReadOffset(ref ContractReader reader)
    {
        int count = reader.Wire.ReadArrayHeader();
        if (count != 2)
        {
            throw Wrong(ref reader, "a time and its offset");
        }

        DateTime local = WireTimestamp.Read(ref reader.Wire);
        var offset = TimeSpan.FromMinutes(reader.Wire.ReadRange(-14 * 60, 14 * 60));
        return (ulong)(local.Ticks - offset.Ticks) <= (ulong)DateTime.MaxValue.Ticks
            ? new DateTimeOffset(local.Ticks, offset)
            : throw Wrong(ref reader, "a time within its range");
    }

    private static PileCorruptedException Wrong(ref ContractReader reader, string what) =>
        new($"A stored value is damaged: {what} was expected, before or at byte {reader.Wire.Position}.");

    /// <summary>Its integer, members or not.</summary>
    private sealed class ContractEnum<TEnum, TInteger> : ContractFormatter<TEnum>
        where TEnum : struct
        where TInteger : struct
    {
        private readonly ContractFormatter<TInteger> _integer = Of<TInteger>();

        internal override void Write(WireWriter writer, TEnum value, int depth) => _integer.Write(writer, RawValue.Cast<TEnum, TInteger>(value), depth);

        internal override TEnum Read(ref ContractReader reader) => RawValue.Cast<TInteger, TEnum>(_integer.Read(ref reader));
    }

    /// <summary>Nil or the value.</summary>
    private sealed class ContractNullable<T> : ContractFormatter<T?>
        where T : struct
    {
        private readonly ContractPlace<T> _value = new();

        internal override IEnumerable<Type> Inner => [typeof(T)];

        internal override void Write(WireWriter writer, T? value, int depth)
        {
            if (value is { } present)
            {
                _value.Formatter.Write(writer, present, depth);
            }
            else
            {
                writer.WriteNil();
            }
        }

        internal override T? Read(ref ContractReader reader) => reader.Wire.TryReadNil() ? null : _value.Formatter.Read(ref reader);
    }
}
