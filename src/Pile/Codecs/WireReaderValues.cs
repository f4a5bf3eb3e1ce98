// Values that have an extension of their own, beyond those that records of programs are full of: range-checked like all others.
// Source of the layouts: docs/CODEC.md.
using System;
using System.Buffers.Binary;
using System.Numerics;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Reads values of several parts.</summary>
internal static class WireReaderValues
{
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

    internal static decimal ReadDecimal(this scoped ref WireReader reader)
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
