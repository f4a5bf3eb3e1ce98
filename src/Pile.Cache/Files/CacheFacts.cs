// What a cache knows when it is closed in order and would have to count again otherwise: entries and bytes of each table, what lives in
// each segment, the checksums of the indexes. A file of its own, which the next open reads and removes before anything changes.
// The order of the calls is the layout; a CRC-32C of all that is before it comes last.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using Pile.Cache.Engine;
using Pile.Format;
using Pile.Memory;

namespace Pile.Cache.Files;

/// <summary>Content of the facts' file.</summary>
internal sealed record CacheFacts
{
    private const ulong Magic = 0x5443_4146_454C_4950; // "PILEFACT"
    private const int EndBytes = sizeof(uint);

    /// <summary>The pile's identity.</summary>
    internal ulong Identity { get; init; }

    /// <summary>Recoveries of the pile.</summary>
    internal uint RecoveryCount { get; init; }

    /// <summary>The pile's first counting sequence.</summary>
    internal long FirstCountingSequence { get; init; }

    /// <summary>Whether there may be large values that no entry owns, or two entries of one key: the next open looks.</summary>
    internal bool HasLooseValues { get; init; }

    /// <summary>The tables.</summary>
    internal List<TableFacts> Tables { get; init; } = [];

    /// <summary>The segments in which entries live.</summary>
    internal List<SegmentFact> Segments { get; init; } = [];

    /// <summary>The objects that entries share.</summary>
    internal List<SharedObject> Shared { get; init; } = [];

    /// <summary>The stored form.</summary>
    internal byte[] ToBytes()
    {
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        writer.Write(Magic);
        byte[] features = new byte[FormatFeatures.Bytes];
        var layout = new LayoutWriter(features);
        FormatFeatures.Current.Write(ref layout);
        writer.Write(features);
        writer.Write(Identity);
        writer.Write(RecoveryCount);
        writer.Write(FirstCountingSequence);
        writer.Write((byte)(HasLooseValues ? 1 : 0));
        writer.Write(Tables.Count);
        foreach (TableFacts table in Tables)
        {
            table.Write(writer);
        }

        writer.Write(Segments.Count);
        foreach (SegmentFact segment in Segments)
        {
            segment.Write(writer);
        }

        writer.Write(Shared.Count);
        foreach (SharedObject known in Shared)
        {
            writer.Write(known.Pointer);
            writer.Write(known.Mark);
            writer.Write(known.Names);
        }

        writer.Write(0u);
        byte[] bytes = stream.ToArray();
        HeaderBlock.Seal(bytes);
        return bytes;
    }

    /// <summary>Whether a file has the magic and agrees with its CRC, looked at in parts: for one that is something else nobody makes room.</summary>
    internal static bool IsWhole(StoreFile file)
    {
        long end = file.Bytes - EndBytes;
        if (end < sizeof(ulong) || file.Bytes > Array.MaxLength)
        {
            return false;
        }

        byte[] part = new byte[CacheLimits.FactsBytesTogether];
        file.Read(0, part.AsSpan(0, sizeof(ulong)));
        if (BinaryPrimitives.ReadUInt64LittleEndian(part) != Magic)
        {
            return false;
        }

        uint crc = 0;
        for (long at = 0; at < end; at += part.Length)
        {
            Span<byte> read = part.AsSpan(0, (int)long.Min(part.Length, end - at));
            file.Read(at, read);
            crc = Crc32C.Compute(read, crc);
        }

        file.Read(end, part.AsSpan(0, EndBytes));
        return BinaryPrimitives.ReadUInt32LittleEndian(part) == crc;
    }

    /// <summary>Reads the stored form.</summary>
    internal static bool TryRead(byte[] source, [NotNullWhen(true)] out CacheFacts? facts, [NotNullWhen(false)] out string? problem)
    {
        facts = null;
        problem = $"{source.Length} bytes are too few";
        if (source.Length < sizeof(ulong) + FormatFeatures.Bytes + EndBytes || !HeaderBlock.IsWhole(source, Magic, out problem))
        {
            return false;
        }

        var layout = new LayoutReader(source.AsSpan(sizeof(ulong)));
        if (!FormatFeatures.Read(ref layout).IsReadable)
        {
            problem = "it is of a version that this one does not know";
            return false;
        }

        try
        {
            using var reader = new BinaryReader(new MemoryStream(source, 0, source.Length - EndBytes));
            reader.BaseStream.Position = sizeof(ulong) + FormatFeatures.Bytes;
            var read = new CacheFacts { Identity = reader.ReadUInt64(), RecoveryCount = reader.ReadUInt32(), FirstCountingSequence = reader.ReadInt64(), HasLooseValues = reader.ReadByte() != 0 };
            for (int left = reader.ReadInt32(); left > 0; left--)
            {
                read.Tables.Add(TableFacts.Read(reader));
            }

            for (int left = reader.ReadInt32(); left > 0; left--)
            {
                read.Segments.Add(SegmentFact.Read(reader));
            }

            for (int left = reader.ReadInt32(); left > 0; left--)
            {
                (ulong pointer, ulong mark, int entries) = (reader.ReadUInt64(), reader.ReadUInt64(), reader.ReadInt32());
                if (entries < 0)
                {
                    problem = $"{entries} entries are said to lead to one object";
                    return false;
                }

                read.Shared.Add(new SharedObject(pointer, entries, mark, IsOwned: true, 0, 0));
            }

            facts = read;
            return true;
        }
        catch (EndOfStreamException)
        {
            problem = "it ends in the midst of a list";
            return false;
        }
    }
}
