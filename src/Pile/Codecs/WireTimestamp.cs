// MessagePack's own form of a time: seconds since 1970 and nanoseconds, UTC, in 4, 8 or 12 bytes (extension -1 of the
// specification). The general codec does not use it: it has no place for the kind of a DateTime.
using System;
using System.Buffers.Binary;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Writes and reads timestamps.</summary>
internal static class WireTimestamp
{
    private const byte Code = 0xff;
    private const int NanosecondsPerTick = 100;
    private const int SecondsBits = 34;
    private const int NanosecondsMax = 999_999_999;

    /// <summary>Writes a time; local time becomes UTC, a time of no kind counts as UTC.</summary>
    internal static void Write(WireWriter writer, DateTime value)
    {
        long ticks = (value.Kind == DateTimeKind.Local ? value.ToUniversalTime() : value).Ticks - DateTime.UnixEpoch.Ticks;
        long seconds = Math.DivRem(ticks, TimeSpan.TicksPerSecond, out long rest);
        if (rest < 0)
        {
            (seconds, rest) = (seconds - 1, rest + TimeSpan.TicksPerSecond);
        }

        uint nanoseconds = (uint)rest * NanosecondsPerTick;
        Span<byte> bytes = stackalloc byte[12];
        if (seconds is >= 0 and <= uint.MaxValue && nanoseconds == 0)
        {
            BinaryPrimitives.WriteUInt32BigEndian(bytes, (uint)seconds);
            writer.WriteExtension(Code, bytes[..4]);
        }
        else if (seconds >> SecondsBits == 0)
        {
            BinaryPrimitives.WriteUInt64BigEndian(bytes, ((ulong)nanoseconds << SecondsBits) | (ulong)seconds);
            writer.WriteExtension(Code, bytes[..8]);
        }
        else
        {
            BinaryPrimitives.WriteUInt32BigEndian(bytes, nanoseconds);
            BinaryPrimitives.WriteInt64BigEndian(bytes[4..], seconds);
            writer.WriteExtension(Code, bytes);
        }
    }

    /// <summary>Reads a time, as UTC.</summary>
    internal static DateTime Read(scoped ref WireReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.ReadExtension(Code, -1);
        (long seconds, ulong nanoseconds) = bytes.Length switch
        {
            4 => (BinaryPrimitives.ReadUInt32BigEndian(bytes), 0UL),
            8 => ((long)(BinaryPrimitives.ReadUInt64BigEndian(bytes) & ((1UL << SecondsBits) - 1)), BinaryPrimitives.ReadUInt64BigEndian(bytes) >> SecondsBits),
            12 => (BinaryPrimitives.ReadInt64BigEndian(bytes[4..]), BinaryPrimitives.ReadUInt32BigEndian(bytes)),
            _ => (0, ulong.MaxValue),
        };
        long first = -DateTime.UnixEpoch.Ticks / TimeSpan.TicksPerSecond;
        long last = (DateTime.MaxValue.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond;
        if (nanoseconds > NanosecondsMax || seconds < first || seconds > last)
        {
            Throw.CorruptedValue("a timestamp of another length, or out of range", reader.Position);
        }

        return DateTime.UnixEpoch.AddTicks((seconds * TimeSpan.TicksPerSecond) + (long)(nanoseconds / NanosecondsPerTick));
    }
}
