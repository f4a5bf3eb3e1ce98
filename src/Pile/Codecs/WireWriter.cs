// Writes MessagePack values into a growing buffer, each in its shortest form. It knows no types and no graphs.
// Source: the MessagePack specification. Text that is not valid UTF-16 goes into an extension, so that it comes back.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Unicode;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>A MessagePack writer. Not thread-safe.</summary>
internal class WireWriter : ByteSink
{
    internal void WriteNil()
    {
        Reserve(1);
        Store(WireCode.Nil);
    }

    internal void WriteBool(bool value)
    {
        Reserve(1);
        Store(value ? WireCode.True : WireCode.False);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteInt32(int value)
    {
        Reserve(9);
        if ((uint)value <= WireCode.FixIntMax)
        {
            Store((byte)value);
        }
        else if (value >= 0)
        {
            StoreUnsigned((uint)value);
        }
        else
        {
            StoreInt(value);
        }
    }

    internal void WriteSByte(sbyte value) => WriteInt32(value);

    internal void WriteByte(byte value) => WriteInt32(value);

    internal void WriteInt16(short value) => WriteInt32(value);

    internal void WriteUInt16(ushort value) => WriteInt32(value);

    internal void WriteChar(char value) => WriteInt32(value);

    internal void WriteUInt32(uint value)
    {
        Reserve(9);
        StoreUnsigned(value);
    }

    internal void WriteInt64(long value)
    {
        Reserve(9);
        StoreInt(value);
    }

    internal void WriteUInt64(ulong value)
    {
        Reserve(9);
        StoreUnsigned(value);
    }

    internal void WriteSingle(float value)
    {
        Reserve(5);
        Store(WireCode.Float32, BinaryPrimitives.ReverseEndianness(BitConverter.SingleToUInt32Bits(value)));
    }

    internal void WriteDouble(double value)
    {
        Reserve(9);
        Store(WireCode.Float64, BinaryPrimitives.ReverseEndianness(BitConverter.DoubleToUInt64Bits(value)));
    }

    internal void WriteArrayHeader(int count)
    {
        Reserve(5);
        if (count < 16)
        {
            Store((byte)(WireCode.FixArray | count));
        }
        else
        {
            StoreCount(WireCode.Array16, count);
        }
    }

    /// <summary>Writes an array header and an integer that counts as its first element.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteTag(int count, int number)
    {
        if (count < 16 && (uint)number <= WireCode.FixIntMax)
        {
            Reserve(2);
            StoreRaw((ushort)(WireCode.FixArray | count | (number << 8)));
        }
        else
        {
            WriteArrayHeader(count);
            WriteInt32(number);
        }
    }

    /// <summary>Writes an array header of full width, to be patched when the count is known.</summary>
    /// <returns>Where its count stands.</returns>
    internal int WriteArrayHeaderToPatch()
    {
        Reserve(5);
        Store(WireCode.Array32, 0u);
        return Length - sizeof(uint);
    }

    internal void WriteMapHeader(int pairs)
    {
        Reserve(5);
        if (pairs < 16)
        {
            Store((byte)(WireCode.FixMap | pairs));
        }
        else
        {
            StoreCount(WireCode.Map16, pairs);
        }
    }

    internal void WriteBinary(ReadOnlySpan<byte> bytes)
    {
        Reserve(5);
        if (bytes.Length <= byte.MaxValue)
        {
            Store(WireCode.Bin8, (byte)bytes.Length);
        }
        else
        {
            StoreCount(WireCode.Bin16, bytes.Length);
        }

        Append(bytes);
    }

    /// <summary>Writes text as UTF-8, or as an extension where it has lone surrogates.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteText(ReadOnlySpan<char> text)
    {
        if (text.Length < 32)
        {
            Reserve(1 + text.Length);
            if (TryStoreAscii((byte)(WireCode.FixText | text.Length), text))
            {
                return;
            }
        }

        WriteLongText(text);
    }

    /// <summary>Writes text that is long, or not ASCII.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteLongText(ReadOnlySpan<char> text)
    {
        // The header is as long as ASCII would need; when more comes out, the bytes move up.
        Reserve(checked(5 + (text.Length * 3)));
        int header = TextHeaderBytes(text.Length);
        OperationStatus status = Utf8.FromUtf16(text, Free[header..], out _, out int written, replaceInvalidSequences: false);
        if (status != OperationStatus.Done)
        {
            WriteExtension(WireCode.Utf16, MemoryMarshal.AsBytes(text));
            return;
        }

        int needed = TextHeaderBytes(written);
        if (needed != header)
        {
            Free.Slice(header, written).CopyTo(Free[needed..]);
        }

        if (written < 32)
        {
            Store((byte)(WireCode.FixText | written));
        }
        else if (written <= byte.MaxValue)
        {
            Store(WireCode.Text8, (byte)written);
        }
        else
        {
            StoreCount(WireCode.Text16, written);
        }

        Advance(written);
    }

    internal void WriteDateTime(DateTime value)
    {
        Reserve(10);
        Store(WireCode.FixExt8, WireCode.DateTime, BinaryPrimitives.ReverseEndianness(RawValue.Cast<DateTime, ulong>(value)));
    }

    internal void WriteDateTimeOffset(DateTimeOffset value)
    {
        Reserve(13);
        Store(WireCode.Ext8);
        Store(10);
        Store(WireCode.DateTimeOffset, BinaryPrimitives.ReverseEndianness(value.UtcTicks));
        StoreRaw(BinaryPrimitives.ReverseEndianness((short)value.TotalOffsetMinutes));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteGuid(ref readonly Guid value)
    {
        Reserve(18);
        Store(WireCode.FixExt16, WireCode.Guid, RawValue.InNetworkOrder(in value));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteDecimal(decimal value)
    {
        Reserve(4 + 12);
        (uint flags, uint high, ulong low) = RawValue.PartsOf(value);
        uint mantissa = high != 0 ? 8 + BytesOf(high) : BytesOf(low);
        uint scale = (flags >> 16) | (flags >> 24);

        // Length and code, or a first byte for the length and the code, then the scale.
        bool isFixed = BitOperations.IsPow2(1 + mantissa);
        uint head = isFixed
            ? (uint)(WireCode.FixExt1 + BitOperations.Log2(1 + mantissa)) | (WireCode.Decimal << 8) | (scale << 16)
            : WireCode.Ext8 | ((1 + mantissa) << 8) | (WireCode.Decimal << 16) | (scale << 24);
        StoreRaw(head, isFixed ? 3 : 4, low, high, (int)mantissa);
    }

    internal void WriteBigInteger(BigInteger value)
    {
        int bytes = value.GetByteCount();
        Reserve(6 + bytes);
        StoreExtensionHeader(WireCode.BigInteger, bytes);
        _ = value.TryWriteBytes(Free, out int written);
        Advance(written);
    }

    internal void WriteInt128(Int128 value) => WriteUInt128((UInt128)value);

    internal void WriteUInt128(UInt128 value)
    {
        Reserve(18);
        Store(WireCode.FixExt16);
        Store(WireCode.Int128);
        BinaryPrimitives.WriteUInt128BigEndian(Free, value);
        Advance(16);
    }

    internal void WriteExtension(byte code, ReadOnlySpan<byte> bytes)
    {
        Reserve(6);
        StoreExtensionHeader(code, bytes.Length);
        Append(bytes);
    }

    /// <summary>Writes a block of primitive elements.</summary>
    internal void WriteBlock(byte elementCode, ReadOnlySpan<byte> elements)
    {
        Reserve(7);
        StoreExtensionHeader(WireCode.Block, 1 + elements.Length);
        Store(elementCode);
        Append(elements);
    }

    /// <summary>Writes a reference to the object whose bytes begin at an offset.</summary>
    internal void WriteReference(int offset)
    {
        Reserve(6);
        switch (offset)
        {
            case <= byte.MaxValue:
                Store(WireCode.FixExt1);
                Store(WireCode.Reference, (byte)offset);
                break;
            case <= ushort.MaxValue:
                Store(WireCode.FixExt2);
                Store(WireCode.Reference, BinaryPrimitives.ReverseEndianness((ushort)offset));
                break;
            default:
                Store(WireCode.FixExt4);
                Store(WireCode.Reference, BinaryPrimitives.ReverseEndianness(offset));
                break;
        }
    }

    private static int TextHeaderBytes(int bytes) => bytes < 32 ? 1 : bytes <= byte.MaxValue ? 2 : bytes <= ushort.MaxValue ? 3 : 5;

    private static uint BytesOf(ulong value) => (uint)(64 + 7 - BitOperations.LeadingZeroCount(value)) / 8;

    private void StoreInt(long value)
    {
        if (value >= 0)
        {
            StoreUnsigned((ulong)value);
        }
        else if (value >= -32)
        {
            Store((byte)value);
        }
        else if (value >= sbyte.MinValue)
        {
            Store(WireCode.Int8, (byte)value);
        }
        else if (value >= short.MinValue)
        {
            Store(WireCode.Int16, BinaryPrimitives.ReverseEndianness((short)value));
        }
        else if (value >= int.MinValue)
        {
            Store(WireCode.Int32, BinaryPrimitives.ReverseEndianness((int)value));
        }
        else
        {
            Store(WireCode.Int64, BinaryPrimitives.ReverseEndianness(value));
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void StoreUnsigned(uint value)
    {
        if (value <= WireCode.FixIntMax)
        {
            Store((byte)value);
        }
        else if (value <= byte.MaxValue)
        {
            Store(WireCode.UInt8, (byte)value);
        }
        else if (value <= ushort.MaxValue)
        {
            Store(WireCode.UInt16, BinaryPrimitives.ReverseEndianness((ushort)value));
        }
        else
        {
            Store(WireCode.UInt32, BinaryPrimitives.ReverseEndianness(value));
        }
    }

    private void StoreUnsigned(ulong value)
    {
        if (value <= uint.MaxValue)
        {
            StoreUnsigned((uint)value);
        }
        else
        {
            Store(WireCode.UInt64, BinaryPrimitives.ReverseEndianness(value));
        }
    }

    /// <summary>A count in 16 or 32 bits; the code of 32 bits is the next one.</summary>
    private void StoreCount(byte code16, int count)
    {
        if (count <= ushort.MaxValue)
        {
            Store(code16, BinaryPrimitives.ReverseEndianness((ushort)count));
        }
        else
        {
            Store((byte)(code16 + 1), BinaryPrimitives.ReverseEndianness(count));
        }
    }

    private void StoreExtensionHeader(byte code, int bytes)
    {
        switch (bytes)
        {
            case 1 or 2 or 4 or 8 or 16:
                Store((byte)(WireCode.FixExt1 + BitOperations.Log2((uint)bytes)));
                break;
            case <= byte.MaxValue:
                Store(WireCode.Ext8, (byte)bytes);
                break;
            default:
                StoreCount(WireCode.Ext16, bytes);
                break;
        }

        Store(code);
    }
}
