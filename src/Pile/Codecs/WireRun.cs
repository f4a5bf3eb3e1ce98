// The bytes of single MessagePack values, each in its shortest form, stored from a place on: what WireWriter writes one at a time and
// generated code in runs (PileFieldRun). No value here takes more than BytesMax; the caller has reserved them.
using System;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Encodings of single values.</summary>
internal static class WireRun
{
    /// <summary>A header and 31 chars of ASCII.</summary>
    internal const int BytesMax = 1 + TextCharsMax;

    /// <summary>Values of one run: more fields than a class can have.</summary>
    internal const int FieldsMax = ushort.MaxValue;

    /// <summary>Longer text has a longer header.</summary>
    internal const int TextCharsMax = 31;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Bool(ref byte at, bool value) => ref ByteRun.Store(ref at, value ? WireCode.True : WireCode.False);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Int32(ref byte at, int value)
    {
        if ((uint)value <= WireCode.FixIntMax)
        {
            return ref ByteRun.Store(ref at, (byte)value);
        }

        return ref value >= 0 ? ref UInt32(ref at, (uint)value) : ref Int64(ref at, value);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte UInt32(ref byte at, uint value)
    {
        switch (value)
        {
            case <= WireCode.FixIntMax:
                return ref ByteRun.Store(ref at, (byte)value);
            case <= byte.MaxValue:
                return ref ByteRun.Store(ref at, WireCode.UInt8, (byte)value);
            case <= ushort.MaxValue:
                return ref ByteRun.Store(ref at, WireCode.UInt16, BinaryPrimitives.ReverseEndianness((ushort)value));
            default:
                return ref ByteRun.Store(ref at, WireCode.UInt32, BinaryPrimitives.ReverseEndianness(value));
        }
    }

    internal static ref byte Int64(ref byte at, long value)
    {
        switch (value)
        {
            case >= 0:
                return ref UInt64(ref at, (ulong)value);
            case >= -32:
                return ref ByteRun.Store(ref at, (byte)value);
            case >= sbyte.MinValue:
                return ref ByteRun.Store(ref at, WireCode.Int8, (byte)value);
            case >= short.MinValue:
                return ref ByteRun.Store(ref at, WireCode.Int16, BinaryPrimitives.ReverseEndianness((short)value));
            case >= int.MinValue:
                return ref ByteRun.Store(ref at, WireCode.Int32, BinaryPrimitives.ReverseEndianness((int)value));
            default:
                return ref ByteRun.Store(ref at, WireCode.Int64, BinaryPrimitives.ReverseEndianness(value));
        }
    }

    internal static ref byte UInt64(ref byte at, ulong value)
    {
        if (value <= uint.MaxValue)
        {
            return ref UInt32(ref at, (uint)value);
        }

        return ref ByteRun.Store(ref at, WireCode.UInt64, BinaryPrimitives.ReverseEndianness(value));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Single(ref byte at, float value) =>
        ref ByteRun.Store(ref at, WireCode.Float32, BinaryPrimitives.ReverseEndianness(BitConverter.SingleToUInt32Bits(value)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Double(ref byte at, double value) =>
        ref ByteRun.Store(ref at, WireCode.Float64, BinaryPrimitives.ReverseEndianness(BitConverter.DoubleToUInt64Bits(value)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte DateTime(ref byte at, DateTime value) =>
        ref ByteRun.Store(ref at, WireCode.FixExt8, WireCode.DateTime, BinaryPrimitives.ReverseEndianness(RawValue.Cast<DateTime, ulong>(value)));

    internal static ref byte DateTimeOffset(ref byte at, DateTimeOffset value)
    {
        at = ref ByteRun.Store(ref at, WireCode.Ext8, (byte)10);
        at = ref ByteRun.Store(ref at, WireCode.DateTimeOffset, BinaryPrimitives.ReverseEndianness(value.UtcTicks));
        return ref ByteRun.StoreRaw(ref at, BinaryPrimitives.ReverseEndianness((short)value.TotalOffsetMinutes));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Guid(ref byte at, scoped ref readonly Guid value) =>
        ref ByteRun.Store(ref at, WireCode.FixExt16, WireCode.Guid, RawValue.InNetworkOrder(in value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Decimal(ref byte at, decimal value)
    {
        (uint flags, uint high, ulong low) = RawValue.PartsOf(value);
        uint mantissa = high != 0 ? 8 + BytesOf(high) : BytesOf(low);
        uint scale = (flags >> 16) | (flags >> 24);

        // Length and code, or a first byte for the length and the code, then the scale.
        bool isFixed = BitOperations.IsPow2(1 + mantissa);
        uint head = isFixed
            ? (uint)(WireCode.FixExt1 + BitOperations.Log2(1 + mantissa)) | (WireCode.Decimal << 8) | (scale << 16)
            : WireCode.Ext8 | ((1 + mantissa) << 8) | (WireCode.Decimal << 16) | (scale << 24);
        return ref ByteRun.StoreRaw(ref at, head, isFixed ? 3 : 4, low, high, (int)mantissa);
    }

    private static uint BytesOf(ulong value) => (uint)(64 + 7 - BitOperations.LeadingZeroCount(value)) / 8;
}
