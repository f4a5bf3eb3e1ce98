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

    internal void WriteBool(bool value) => End(ref WireRun.Bool(ref Begin(1), value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteInt32(int value) => End(ref WireRun.Int32(ref Begin(5), value));

    internal void WriteSByte(sbyte value) => WriteInt32(value);

    internal void WriteByte(byte value) => WriteInt32(value);

    internal void WriteInt16(short value) => WriteInt32(value);

    internal void WriteUInt16(ushort value) => WriteInt32(value);

    internal void WriteChar(char value) => WriteInt32(value);

    internal void WriteUInt32(uint value) => End(ref WireRun.UInt32(ref Begin(5), value));

    internal void WriteInt64(long value) => End(ref WireRun.Int64(ref Begin(9), value));

    internal void WriteUInt64(ulong value) => End(ref WireRun.UInt64(ref Begin(9), value));

    internal void WriteSingle(float value) => End(ref WireRun.Single(ref Begin(5), value));

    internal void WriteDouble(double value) => End(ref WireRun.Double(ref Begin(9), value));

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

    internal void WriteDateTime(DateTime value) => End(ref WireRun.DateTime(ref Begin(10), value));

    internal void WriteDateTimeOffset(DateTimeOffset value) => End(ref WireRun.DateTimeOffset(ref Begin(13), value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteGuid(ref readonly Guid value) => End(ref WireRun.Guid(ref Begin(18), in value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteDecimal(decimal value) => End(ref WireRun.Decimal(ref Begin(16), value));

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
