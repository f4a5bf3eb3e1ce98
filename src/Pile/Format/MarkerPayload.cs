// Payload of a Marker record, which proves a completed flush: flush number 64 | count 32 | zero 32, then for each segment
// that was open then: sequence 64 | written bytes 32. Its checksum is the record's own payload CRC.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Content of a marker.</summary>
internal static class MarkerPayload
{
    private const int HeadBytes = 16;
    private const int ItemBytes = 12;

    /// <summary>Bytes of a marker with so many open segments.</summary>
    internal static int BytesOf(int segments) => HeadBytes + (segments * ItemBytes);

    /// <summary>Writes the stored form.</summary>
    /// <param name="target">At least <see cref="BytesOf"/> the number of segments.</param>
    /// <param name="provenFlush">Number of the flush that is proven.</param>
    /// <param name="segments">Segments that were open when it began, with the lengths that it covers.</param>
    internal static void Write(Span<byte> target, long provenFlush, ReadOnlySpan<OpenSegment> segments)
    {
        var writer = new LayoutWriter(target);
        writer.Long(provenFlush);
        writer.Int(segments.Length);
        writer.Int(0);
        foreach (OpenSegment segment in segments)
        {
            writer.Long(segment.Sequence);
            writer.Int(segment.WrittenBytes);
        }
    }

    /// <summary>Reads the stored form.</summary>
    /// <param name="source">The whole payload.</param>
    /// <param name="provenFlush">Number of the flush that is proven.</param>
    /// <param name="segments">Segments that were open when it began.</param>
    /// <param name="problem">What is wrong.</param>
    internal static bool TryRead(
        ReadOnlySpan<byte> source, out long provenFlush, [NotNullWhen(true)] out OpenSegment[]? segments, [NotNullWhen(false)] out string? problem)
    {
        provenFlush = 0;
        segments = null;
        problem = null;
        if (source.Length < HeadBytes)
        {
            problem = $"{source.Length} bytes are too few";
            return false;
        }

        var reader = new LayoutReader(source);
        long flush = reader.Long();
        int count = reader.Int();
        int reserved = reader.Int();
        problem = flush < 0 ? $"flush {flush} is negative"
            : count < 0 || HeadBytes + ((long)count * ItemBytes) != source.Length ? $"{count} segments do not take {source.Length} bytes"
            : reserved != 0 ? "reserved bytes are not zero"
            : null;
        if (problem is not null)
        {
            return false;
        }

        var read = new OpenSegment[count];
        for (int index = 0; index < count; index++)
        {
            read[index] = new OpenSegment(reader.Long(), reader.Int());
            if (read[index] is not { Sequence: >= 1 and <= SegmentRow.SequenceMax, WrittenBytes: >= 0 and <= Limits.SegmentBytesMax })
            {
                problem = $"segment {read[index].Sequence} with {read[index].WrittenBytes} bytes can't be";
                return false;
            }
        }

        provenFlush = flush;
        segments = read;
        return true;
    }
}
