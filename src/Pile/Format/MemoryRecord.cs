// The record of a memory pile: word 0, then the payload. 8 bytes of header.
// The segment directory, not the record, says how far a segment is written.
using System;
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Record format of memory piles.</summary>
internal readonly struct MemoryRecord : IRecordFormat
{
    public static int HeaderBytes => 8;

    public static int SegmentHeaderBytes => 0;

    public static bool IsDurable => false;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteRest(Span<byte> rest, ulong word0, uint payloadSum, in RecordStamp stamp)
    {
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Restamp(Span<byte> rest, ulong word0, in RecordStamp stamp)
    {
    }
}
