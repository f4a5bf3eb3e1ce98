// Reads what an old version wrote in a place, for a place that is another kind today: another width, another class, a version
// of a nested type that is no longer today's. Integers are converted checked; nothing else is guessed.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;

namespace Pile.Codecs;

/// <summary>Formatters from old places to today's.</summary>
internal static class MappedFormatter
{
    private static readonly Dictionary<WireKind, Type> _leaves = new()
    {
        [WireKind.Bool] = typeof(bool),
        [WireKind.SByte] = typeof(sbyte),
        [WireKind.Byte] = typeof(byte),
        [WireKind.Int16] = typeof(short),
        [WireKind.UInt16] = typeof(ushort),
        [WireKind.Int32] = typeof(int),
        [WireKind.UInt32] = typeof(uint),
        [WireKind.Int64] = typeof(long),
        [WireKind.UInt64] = typeof(ulong),
        [WireKind.Char] = typeof(char),
        [WireKind.Single] = typeof(float),
        [WireKind.Double] = typeof(double),
        [WireKind.Text] = typeof(string),
        [WireKind.DateTime] = typeof(DateTime),
        [WireKind.DateTimeOffset] = typeof(DateTimeOffset),
        [WireKind.Guid] = typeof(Guid),
        [WireKind.Decimal] = typeof(decimal),
        [WireKind.BigInteger] = typeof(BigInteger),
        [WireKind.Int128] = typeof(Int128),
        [WireKind.UInt128] = typeof(UInt128),
        [WireKind.TimeSpan] = typeof(TimeSpan),
        [WireKind.DateOnly] = typeof(DateOnly),
        [WireKind.TimeOnly] = typeof(TimeOnly),
        [WireKind.Rune] = typeof(System.Text.Rune),
        [WireKind.Index] = typeof(Index),
        [WireKind.Half] = typeof(Half),
    };

    /// <summary>The CLR type of a single value, or null.</summary>
    internal static Type? LeafOf(WireKind kind) => _leaves.GetValueOrDefault(kind);

    /// <summary>The formatter for a field of an old version.</summary>
    internal static Formatter<T> Of<T>(TypeVersion version, int field)
    {
        IReadOnlyList<SchemaField> fields = version.Schema.Fields;
        if (field >= fields.Count)
        {
            throw new PileCorruptedException($"The stored schema of {version.Schema.TypeName} is damaged: {fields.Count} fields, where field {field} is what repeats.");
        }

        return (Formatter<T>)Of(typeof(T), version, fields[field]);
    }

    /// <summary>The formatter for an old place: today's, where nothing changed.</summary>
    internal static Formatter Of(Type type, TypeVersion version, SchemaField old)
    {
        Formatter today = Formatters.Of(type);
        TypeVersion? nested = old.Nested == 0 ? null : version.Table.Version(old.Nested);
        bool isSame = old.Kind == today.Kind
            && (nested is null || (today.Nested is { } plan && nested.Schema.TypeName == TypeName.Of(plan.Type) && VersionMatch.IsSame(nested, plan)));
        return isSame ? today : (Formatter)Activator.CreateInstance(typeof(Mapped<>).MakeGenericType(type), version, old, nested)!;
    }

    private sealed class Mapped<T>(TypeVersion version, SchemaField old, TypeVersion? nested) : Formatter<T>(old.Kind)
    {
        private readonly Formatter? _leaf = LeafOf(old.Kind & ~WireKind.Nullable) is { } leaf ? Formatters.Of(leaf) : null;

        internal override bool IsSettled => _leaf is not null;

        internal override void Write(GraphWriter writer, T value) => throw new InvalidOperationException("A mapped formatter only reads.");

        internal override T Read(ref GraphReader reader)
        {
            int offset = reader.Wire.Position;
            return ReadOld(ref reader) switch
            {
                null when default(T) is null => default!,
                T value => value,
                { } other => (T)Convert(other, typeof(T), offset),
                null => throw Mismatch("nil"),
            };
        }

        private object? ReadOld(ref GraphReader reader)
        {
            if ((old.Kind & WireKind.Nullable) != 0 && reader.Wire.TryReadNil())
            {
                return null;
            }

            if (_leaf is not null)
            {
                return _leaf.ReadObject(ref reader);
            }

            switch (old.Kind & ~WireKind.Nullable)
            {
                case WireKind.Exact:
                    return reader.ReadExact(nested!.Plan);
                case WireKind.Inline:
                    int offset = reader.Wire.Position;
                    return reader.ReadBody(nested!.Plan, reader.Wire.ReadArrayHeader(), null, offset);
                default:
                    return reader.ReadAny();
            }
        }

        private object Convert(object value, Type type, int offset)
        {
            Type target = Nullable.GetUnderlyingType(type) ?? type;
            Type number = target.IsEnum ? Enum.GetUnderlyingType(target) : target;
            object source = value is Enum ? System.Convert.ChangeType(value, Enum.GetUnderlyingType(value.GetType()), CultureInfo.InvariantCulture) : value;
            bool fromInteger = source is sbyte or byte or short or ushort or int or uint or long or ulong or char;
            bool toInteger = number.IsPrimitive && number != typeof(bool) && number != typeof(float) && number != typeof(double) && number != typeof(nint) && number != typeof(nuint);
            bool widens = (fromInteger && (number == typeof(double) || number == typeof(float) || number == typeof(decimal))) || (source is float && number == typeof(double));
            if (!(fromInteger && toInteger) && !widens)
            {
                throw Mismatch($"{TypeName.Display(value.GetType())} at byte {offset}");
            }

            source = source is char letter && !toInteger ? (int)letter : source;
            object converted;
            try
            {
                converted = System.Convert.ChangeType(source, number, CultureInfo.InvariantCulture);
            }
            catch (OverflowException)
            {
                throw Mismatch(FormattableString.Invariant($"{source} at byte {offset}"));
            }

            if (fromInteger && converted is float or double && !IsExactly(converted, source))
            {
                throw Mismatch(FormattableString.Invariant($"{source} at byte {offset}"));
            }

            return target.IsEnum ? Enum.ToObject(target, converted) : converted;
        }

        /// <summary>Whether a floating-point number is an integer's value, and not one beside it.</summary>
        private static bool IsExactly(object converted, object source) =>
            (Int128)System.Convert.ToDouble(converted, CultureInfo.InvariantCulture) == (Int128)System.Convert.ToDecimal(source, CultureInfo.InvariantCulture);

        private PileTypeMismatchException Mismatch(string found) => new(
            $"{(old.Declaring.Length > 0 ? old.Declaring : version.Schema.TypeName)}.{old.Name} was stored as {old.Kind} and holds {found}, which can't become {TypeName.Display(typeof(T))}.");
    }
}
