// What an extent was whose file is truncated or has no whole header: by one of its headers, else by its segments' rows, which are
// good for their own places only, so that they tell the size of the segments. For a salvage; an open refuses such a file.
using System;
using System.Buffers.Binary;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>Finds out what an extent was.</summary>
internal static class LostHeader
{
    /// <summary>The header that a file must have had.</summary>
    /// <param name="file">The file.</param>
    /// <param name="row">The row that its name says.</param>
    /// <param name="rowsEnd">The row at which the next extent begins.</param>
    /// <param name="meta">What holds.</param>
    internal static ExtentHeader Find(StoreFile file, int row, int rowsEnd, MetaSlot meta)
    {
        byte[] prefix = ReadPrefix(file);
        foreach (int offset in (ReadOnlySpan<int>)[0, ExtentHeader.CopyOffset])
        {
            if (ExtentHeader.TryRead(prefix.AsSpan(offset, ExtentHeader.Bytes), out ExtentHeader header, out _)
                && header.FirstRow == row && row + header.Rows <= rowsEnd)
            {
                return header;
            }
        }

        int segmentBytes = SegmentBytesOf(prefix, row, meta);
        return segmentBytes > 0
            ? new ExtentHeader(meta.Identity, row, 1, ExtentKind.Segments, segmentBytes)
            : new ExtentHeader(meta.Identity, row, rowsEnd - row, ExtentKind.Large, 0);
    }

    /// <summary>The row of which a file is by one of its headers; 0 where none is whole, or of this pile.</summary>
    internal static int RowOf(StoreFile file, MetaSlot meta)
    {
        byte[] prefix = ReadPrefix(file);
        foreach (int offset in (ReadOnlySpan<int>)[0, ExtentHeader.CopyOffset])
        {
            if (ExtentHeader.TryRead(prefix.AsSpan(offset, ExtentHeader.Bytes), out ExtentHeader header, out _) && header.Identity == meta.Identity)
            {
                return header.FirstRow;
            }
        }

        return 0;
    }

    private static byte[] ReadPrefix(StoreFile file)
    {
        byte[] prefix = new byte[ExtentHeader.ExtentPrefixBytes];
        file.Read(0, prefix.AsSpan(0, (int)long.Min(prefix.Length, file.Bytes)));
        return prefix;
    }

    /// <summary>The size of segments for which most rows are good; 0 when none is: then there are none.</summary>
    private static int SegmentBytesOf(ReadOnlySpan<byte> prefix, int row, MetaSlot meta)
    {
        int best = 0;
        int mostGood = 0;
        for (int size = Limits.SegmentBytesMax; MetaSlot.IsSegmentSize(size); size /= 2)
        {
            int good = 0;
            for (int segment = 0; segment < Limits.ExtentBytes / size; segment++)
            {
                ulong word = BinaryPrimitives.ReadUInt64LittleEndian(prefix[(ExtentHeader.RowsOffset + (segment * SegmentRow.Bytes))..]);
                long location = ExtentMap.FirstLocation(row) + ((long)segment * size / Limits.WordBytes);
                good += word != 0 && SegmentRow.TryParse(word, meta.Identity, location, out _) ? 1 : 0;
            }

            if (good > mostGood)
            {
                (best, mostGood) = (size, good);
            }
        }

        return best;
    }
}
