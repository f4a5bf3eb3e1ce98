// The header of an extent file: whose it is, where in flat space it belongs, how it is cut. 4096 bytes.
// It stands at the file's beginning and again at the end of the prefix, so that one damaged page of it loses nothing.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Content of an extent's header.</summary>
/// <param name="Identity">The pile's.</param>
/// <param name="FirstRow">First row of flat space, which names the file.</param>
/// <param name="Rows">Rows of 64 MiB.</param>
/// <param name="Kind">Segments or large objects.</param>
/// <param name="SegmentBytes">Size of its segments; 0 in an extent of large objects.</param>
internal readonly record struct ExtentHeader(ulong Identity, int FirstRow, int Rows, ExtentKind Kind, int SegmentBytes)
{
    internal const int Bytes = HeaderBlock.Bytes;

    /// <summary>Where the segment rows begin.</summary>
    internal const int RowsOffset = Bytes;

    /// <summary>Segments of one extent at the most: the smallest ones in one row.</summary>
    internal const int SegmentsMax = Limits.ExtentBytes / Limits.SegmentBytesMin;

    /// <summary>Where the second copy of the header stands.</summary>
    internal const int CopyOffset = RowsOffset + (SegmentsMax * SegmentRow.Bytes);

    /// <summary>What comes before the data.</summary>
    internal const int ExtentPrefixBytes = CopyOffset + Bytes;

    private const ulong Magic = 0x4E54_5845_454C_4950; // "PILEEXTN"

    /// <summary>Format version and features.</summary>
    internal FormatFeatures Features { get; init; } = FormatFeatures.Current;

    /// <summary>Segments in the extent; 0 in one of large objects.</summary>
    internal int Segments => Kind == ExtentKind.Segments ? Limits.ExtentBytes / SegmentBytes : 0;

    /// <summary>Bytes of data behind the prefix.</summary>
    internal long DataBytes => (long)Rows * Limits.ExtentBytes;

    /// <summary>Bytes of the whole file.</summary>
    internal long FileBytes => ExtentPrefixBytes + DataBytes;

    /// <summary>Writes the stored form.</summary>
    internal void Write(Span<byte> target)
    {
        target[..Bytes].Clear();
        var writer = new LayoutWriter(target);
        writer.Long(Magic);
        Features.Write(ref writer);
        writer.Long(Identity);
        writer.Int(FirstRow);
        writer.Int(Rows);
        writer.Int((int)Kind);
        writer.Int(SegmentBytes);
        HeaderBlock.Seal(target[..Bytes]);
    }

    /// <summary>Reads the stored form. Of a header in a format that is not known, only features and identity are read.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> source, out ExtentHeader header, [NotNullWhen(false)] out string? problem)
    {
        header = default;
        if (!HeaderBlock.IsWhole(source, Magic, out problem))
        {
            return false;
        }

        var reader = new LayoutReader(source);
        _ = reader.ULong();
        FormatFeatures features = FormatFeatures.Read(ref reader);
        ulong identity = reader.ULong();
        if (!features.IsReadable)
        {
            header = new ExtentHeader(identity, 0, 0, default, 0) { Features = features };
            return true;
        }

        int firstRow = reader.Int();
        int rows = reader.Int();
        int kind = reader.Int();
        var read = new ExtentHeader(identity, firstRow, rows, (ExtentKind)kind, reader.Int()) { Features = features };
        problem = read.Problem(kind);
        header = problem is null ? read : default;
        return problem is null;
    }

    /// <summary>The first field whose value can't be, or null.</summary>
    private string? Problem(int kind) =>
        FirstRow < 1 || Rows < 1 || (long)FirstRow + Rows > Limits.ExtentsMax ? $"{Rows} rows from row {FirstRow} on lie not within 1 to {Limits.ExtentsMax - 1}"
        : kind is not ((int)ExtentKind.Segments or (int)ExtentKind.Large) ? $"kind {kind} is not known"
        : Kind == ExtentKind.Large && SegmentBytes != 0 ? $"an extent of large objects has segments of {SegmentBytes} bytes"
        : Kind == ExtentKind.Segments && !MetaSlot.IsSegmentSize(SegmentBytes) ? $"{SegmentBytes} bytes is no size that segments have"
        : Kind == ExtentKind.Segments && Rows != 1 ? $"an extent of segments has {Rows} rows"
        : null;
}
