// Values beyond those that records of programs are full of: small integers, floats, and those that have an extension of their
// own. Range-checked like all others.
// Source of the layouts: docs/CODEC.md.
using System;
using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Reads the rarer values.</summary>
internal static class WireReaderValues
{
    internal static sbyte ReadSByte(this scoped ref WireReader reader) => (sbyte)reader.ReadRange(sbyte.MinValue, sbyte.MaxValue);

    internal static byte ReadByte(this scoped ref WireReader reader) => (byte)reader.ReadRange(byte.MinValue, byte.MaxValue);

    internal static short ReadInt16(this scoped ref WireReader reader) => (short)reader.ReadRange(short.MinValue, short.MaxValue);

    internal static ushort ReadUInt16(this scoped ref WireReader reader) => (ushort)reader.ReadRange(ushort.MinValue, ushort.MaxValue);

    internal static char ReadChar(this scoped ref WireReader reader) => (char)reader.ReadRange(char.MinValue, char.MaxValue);

    internal static uint ReadUInt32(this scoped ref WireReader reader) => (uint)reader.ReadRange(uint.MinValue, uint.MaxValue);

    internal static float ReadSingle(this scoped ref WireReader reader)
    {
        reader.Expect(WireCode.Float32, "a float");
        return BitConverter.UInt32BitsToSingle(BinaryPrimitives.ReadUInt32BigEndian(reader.Take(4)));
    }

    internal static DateTimeOffset ReadDateTimeOffset(this scoped ref WireReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.ReadExtension(WireCode.DateTimeOffset, 10);
        long utcTicks = BinaryPrimitives.ReadInt64BigEndian(bytes);
        int minutes = BinaryPrimitives.ReadInt16BigEndian(bytes[8..]);
        long ticks = unchecked(utcTicks + (minutes * TimeSpan.TicksPerMinute));
        if ((ulong)utcTicks > (ulong)DateTime.MaxValue.Ticks || int.Abs(minutes) > 14 * 60 || (ulong)ticks > (ulong)DateTime.MaxValue.Ticks)
        {
            Throw.CorruptedValue("a DateTimeOffset out of range", reader.Position);
        }

        return new DateTimeOffset(ticks, TimeSpan.FromMinutes(minutes));
    }

    /// <summary>A decimal. Inlined where its mantissa has at most 8 bytes: a decimal returned in two registers waits for them.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static decimal ReadDecimal(this scoped ref WireReader reader)
    {
        ReadOnlySpan<byte> all = reader.All;
        int position = reader.Position;
        if (all.Length - position > 3)
        {
            byte first = all[position];
            bool isFixed = first is >= WireCode.FixExt1 and <= WireCode.FixExt8;
            int start = position + (isFixed ? 2 : 3);
            int length = isFixed ? 1 << (first - WireCode.FixExt1) : all[position + 1];
            int end = start + length;
            byte scale = all[start];
            if ((isFixed || first == WireCode.Ext8) && all[start - 1] == WireCode.Decimal
                && length is > 1 and <= 9 && end <= all.Length && end >= sizeof(ulong) && (scale & 0x7f) <= 28)
            {
                // The 8 bytes that end with the mantissa, without those before it.
                ulong low = BinaryPrimitives.ReadUInt64LittleEndian(all[(end - sizeof(ulong))..]) >> (64 - ((length - 1) * 8));
                reader.Position = end;
                return new decimal((int)low, (int)(low >> 32), 0, scale > 0x7f, (byte)(scale & 0x7f));
            }
        }

        return ReadAnyDecimal(ref reader);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static decimal ReadAnyDecimal(scoped ref WireReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.ReadExtension(WireCode.Decimal, -1);
        int scale = bytes.IsEmpty ? 0 : bytes[0] & 0x7f;
        if (bytes.Length is < 1 or > 13 || scale > 28)
        {
            Throw.CorruptedValue("a decimal of another length or scale", reader.Position);
        }

        ulong low = 0;
        uint high = 0;
        for (int index = bytes.Length - 1; index > 8; index--)
        {
            high = (high << 8) | bytes[index];
        }

        for (int index = int.Min(bytes.Length - 1, 8); index > 0; index--)
        {
            low = (low << 8) | bytes[index];
        }

        return new decimal((int)low, (int)(low >> 32), (int)high, bytes[0] > 0x7f, (byte)scale);
    }

    internal static BigInteger ReadBigInteger(this scoped ref WireReader reader) => new(reader.ReadExtension(WireCode.BigInteger, -1));

    internal static Int128 ReadInt128(this scoped ref WireReader reader) => (Int128)ReadUInt128(ref reader);

    internal static UInt128 ReadUInt128(this scoped ref WireReader reader) => BinaryPrimitives.ReadUInt128BigEndian(reader.ReadExtension(WireCode.Int128, 16));
}
