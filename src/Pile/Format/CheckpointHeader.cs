// What stands before the entries of a checkpoint file: a fixed block, then three lists. The lists have a checksum in the block, each
// page of entries has one in the last list, so that nothing of a damaged checkpoint is believed.
// block: magic 64 | features | identity 64 | number 32 | high water 32 | flush 64 | open 32 | segments 32 | known 32 | CRC of the lists 32 | .. | CRC 32
// lists: open segments of 64 + 64 (sequence, written bytes) | a sequence of 64 for each segment | a checksum of 32 for each page | zeros
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Content of a checkpoint but for its entries.</summary>
/// <param name="Identity">The pile's.</param>
/// <param name="Number">Number of the file, which is part of its name.</param>
/// <param name="HighWater">Slots ever issued when the copy began, slot 0 included.</param>
/// <param name="Known">One above the last slot that has a record; beyond it are zeros.</param>
/// <param name="Flush">The flush that made durable all that entries refer to.</param>
/// <param name="Open">The segments that were open when the copy began, with the bytes whose entries are in it; last an item of the
/// greatest sequence drawn: others up to it are in the copy whole.</param>
/// <param name="Sequences">The sequence of each segment when the copy began.</param>
/// <param name="Sums">Checksum of each page of <see cref="Limits.TablePageSlots"/> entries.</param>
internal sealed record CheckpointHeader(ulong Identity, uint Number, uint HighWater, uint Known, long Flush, OpenSegment[] Open, long[] Sequences, uint[] Sums)
{
    /// <summary>Bytes of the fixed block.</summary>
    internal const int BlockBytes = HeaderBlock.Bytes;

    private const ulong Magic = 0x5450_4B43_454C_4950; // "PILECKPT"
    private const int OpenBytes = 2 * sizeof(long);

    /// <summary>Where the entries begin.</summary>
    internal long Bytes => BytesOf(Open.Length, Sequences.Length, HighWater);

    /// <summary>Bytes of the file.</summary>
    internal long FileBytes => Bytes + ((long)HighWater * Limits.WordBytes);

    /// <summary>The stored form, block and lists.</summary>
    internal byte[] ToBytes()
    {
        byte[] bytes = new byte[Bytes];
        var lists = new LayoutWriter(bytes.AsSpan(BlockBytes));
        foreach (OpenSegment segment in Open)
        {
            lists.Long(segment.Sequence);
            lists.Long(segment.WrittenBytes);
        }

        foreach (long sequence in Sequences)
        {
            lists.Long(sequence);
        }

        foreach (uint sum in Sums)
        {
            lists.Int(sum);
        }

        var block = new LayoutWriter(bytes);
        block.Long(Magic);
        FormatFeatures.Current.Write(ref block);
        block.Long(Identity);
        block.Int(Number);
        block.Int(HighWater);
        block.Long(Flush);
        block.Int(Open.Length);
        block.Int(Sequences.Length);
        block.Int(Known);
        block.Int(Crc32C.Compute(bytes.AsSpan(BlockBytes)));
        HeaderBlock.Seal(bytes.AsSpan(0, BlockBytes));
        return bytes;
    }

    /// <summary>Reads the fixed block.</summary>
    /// <param name="block">It.</param>
    /// <param name="segmentsMax">The most segments that the pile can have: a block that says more asks for no memory.</param>
    /// <param name="bytes">Bytes of block and lists.</param>
    /// <param name="problem">What is wrong.</param>
    internal static bool TryReadBlock(ReadOnlySpan<byte> block, long segmentsMax, out long bytes, [NotNullWhen(false)] out string? problem)
    {
        bytes = 0;
        if (!HeaderBlock.IsWhole(block, Magic, out problem))
        {
            return false;
        }

        var reader = new LayoutReader(block);
        _ = reader.ULong();
        if (!FormatFeatures.Read(ref reader).IsReadable)
        {
            problem = "it is of a newer version";
            return false;
        }

        _ = reader.ULong();
        _ = reader.UInt();
        uint highWater = reader.UInt();
        _ = reader.Long();
        (int open, int segments) = (reader.Int(), reader.Int());
        bool canBe = open >= 0 && open <= segmentsMax + 1 && segments >= 0 && segments <= segmentsMax;
        bytes = canBe ? BytesOf(open, segments, highWater) : long.MaxValue;
        problem = bytes > Array.MaxLength ? $"{open} open segments of {segments} are no lists" : null;
        return problem is null;
    }

    /// <summary>Reads the whole stored form.</summary>
    /// <param name="source">Block and lists, the block checked.</param>
    /// <param name="header">The content.</param>
    /// <param name="problem">What is wrong.</param>
    internal static bool TryRead(ReadOnlySpan<byte> source, [NotNullWhen(true)] out CheckpointHeader? header, [NotNullWhen(false)] out string? problem)
    {
        header = null;
        var block = new LayoutReader(source);
        _ = block.ULong();
        _ = FormatFeatures.Read(ref block);
        (ulong identity, uint number, uint highWater, long flush) = (block.ULong(), block.UInt(), block.UInt(), block.Long());
        (int opened, int segments) = (block.Int(), block.Int());
        uint known = block.UInt();
        uint stored = block.UInt();
        uint computed = Crc32C.Compute(source[BlockBytes..]);
        if (stored != computed || opened == 0 || known > highWater)
        {
            problem = $"the checksum of its lists is 0x{stored:X8}, that of their bytes 0x{computed:X8}";
            return false;
        }

        var open = new OpenSegment[opened];
        long[] sequences = new long[segments];
        var lists = new LayoutReader(source[BlockBytes..]);
        for (int index = 0; index < open.Length; index++)
        {
            open[index] = new OpenSegment(lists.Long(), (int)lists.Long());
        }

        for (int index = 0; index < sequences.Length; index++)
        {
            sequences[index] = lists.Long();
        }

        uint[] sums = new uint[PageSums.PagesOf(highWater)];
        for (int index = 0; index < sums.Length; index++)
        {
            sums[index] = lists.UInt();
        }

        header = new CheckpointHeader(identity, number, highWater, known, flush, open, sequences, sums);
        problem = null;
        return true;
    }

    private static long BytesOf(int open, int segments, uint highWater) =>
        Align.Up(BlockBytes + ((long)open * OpenBytes) + ((long)segments * sizeof(long)) + ((long)PageSums.PagesOf(highWater) * sizeof(uint)), (long)Limits.OsPageBytes);
}
