// The list of durable tables as bytes: which there are, what they were made with, and their eras. Truth like pile.meta: an entry in the log
// whose table is not in it was dropped. It is small and stands in its file twice, so that damage of one copy loses nothing.
// The order of the calls is the layout.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Pile.Cache.Keys;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>Content of the file of durable tables.</summary>
/// <param name="Identity">The pile's identity.</param>
/// <param name="NumbersEnd">Numbers of tables from here on were never a durable table's.</param>
/// <param name="Rows">The tables.</param>
internal sealed record DurableList(ulong Identity, int NumbersEnd, IReadOnlyList<DurableRow> Rows)
{
    private const ulong Magic = 0x534C_4254_454C_4950; // "PILETBLS"
    private const int HeadBytes = sizeof(ulong) + FormatFeatures.Bytes + sizeof(ulong) + (3 * sizeof(int));
    private const int RowBytesMax = (2 * sizeof(int)) + sizeof(ulong) + TableOptionsLayout.BytesMax;
    private const int CrcBytes = sizeof(uint);

    /// <summary>The stored form: two equal halves of whole pages.</summary>
    internal byte[] ToBytes()
    {
        byte[] bytes = new byte[HeadBytes + (Rows.Count * RowBytesMax) + CrcBytes];
        var writer = new LayoutWriter(bytes.AsSpan(HeadBytes));
        foreach (DurableRow row in Rows)
        {
            writer.Int(row.Table);
            writer.Int(row.Era);
            writer.Long(row.Seed.Value);
            TableOptionsLayout.Write(ref writer, row.Options, row.Seed.IsFormer);
        }

        int length = bytes.Length - writer.Left;
        writer = new LayoutWriter(bytes);
        writer.Long(Magic);
        FormatFeatures.OfCache(Rows.All(static row => row.Seed.IsFormer)).Write(ref writer);
        writer.Long(Identity);
        writer.Int(length + CrcBytes);
        writer.Int(NumbersEnd);
        writer.Int(Rows.Count);
        HeaderBlock.Seal(bytes.AsSpan(0, length + CrcBytes));
        byte[] both = new byte[2 * Align.Up(length + CrcBytes, Limits.OsPageBytes)];
        bytes.AsSpan(0, length + CrcBytes).CopyTo(both);
        bytes.AsSpan(0, length + CrcBytes).CopyTo(both.AsSpan(both.Length / 2));
        return both;
    }

    /// <summary>Reads the stored form: the first half that is whole. Both are looked at: of two, one that nobody misses would be missed with the other.</summary>
    /// <param name="source">The file.</param>
    /// <param name="list">The list, when true; its comparers only have names.</param>
    /// <param name="problem">What is wrong: when true, with the half that is not needed, or null.</param>
    /// <param name="isNewer">Whether it is of a version that this one does not know.</param>
    internal static bool TryRead(ReadOnlySpan<byte> source, [NotNullWhen(true)] out DurableList? list, out string? problem, out bool isNewer)
    {
        list = null;
        isNewer = false;
        if (source.Length < 2 * Limits.OsPageBytes || source.Length % (2 * Limits.OsPageBytes) != 0)
        {
            problem = $"{source.Length} bytes are not two copies of whole pages";
            return false;
        }

        ReadOnlySpan<byte> half = source[..(source.Length / 2)];
        ReadOnlySpan<byte> other = source[half.Length..];
        bool isFirst = TryReadHalf(half, out list, out string? first, ref isNewer);
        bool isSecond = TryReadHalf(other, out DurableList? last, out string? second, ref isNewer);
        list ??= last;
        problem = !isFirst && !isSecond ? $"of the first copy, {first}; of the second, {second}"
            : !isFirst ? $"of the first copy, {first}"
            : !isSecond ? $"of the second copy, {second}"
            : !half.SequenceEqual(other) ? "of the second copy, it is not what the first is" : null;
        return isFirst || isSecond;
    }

    private static bool TryReadHalf(ReadOnlySpan<byte> source, [NotNullWhen(true)] out DurableList? list, [NotNullWhen(false)] out string? problem, ref bool isNewer)
    {
        list = null;
        var reader = new LayoutReader(source);
        _ = reader.ULong();
        FormatFeatures features = FormatFeatures.Read(ref reader);
        ulong identity = reader.ULong();
        int length = reader.Int();
        int end = reader.Int();
        int count = reader.Int();
        if (length < HeadBytes + CrcBytes || length > source.Length)
        {
            problem = $"its length of {length} bytes is not possible";
            return false;
        }

        if (!HeaderBlock.IsWhole(source[..length], Magic, out problem))
        {
            return false;
        }

        if (!features.IsReadableWith(FormatFeatures.HashesOfToday))
        {
            isNewer = true;
            problem = features.Unreadable(FormatFeatures.HashesOfToday);
            return false;
        }

        reader = new LayoutReader(source[HeadBytes..(length - CrcBytes)]);
        List<DurableRow> rows = [];
        for (int index = 0; index < count; index++)
        {
            if (!TryReadRow(ref reader, end, out DurableRow? row, out problem))
            {
                return false;
            }

            rows.Add(row);
        }

        list = new DurableList(identity, end, rows);
        return true;
    }

    private static bool TryReadRow(ref LayoutReader reader, int end, [NotNullWhen(true)] out DurableRow? row, [NotNullWhen(false)] out string? problem)
    {
        row = null;
        problem = "it ends in the midst of a table";
        if (reader.Left < RowBytesMax - TableOptionsLayout.BytesMax)
        {
            return false;
        }

        int table = reader.Int();
        int era = reader.Int();
        ulong seed = reader.ULong();
        if (!TableOptionsLayout.TryRead(ref reader, out PileTableOptions options, out bool isFormer, out problem))
        {
            return false;
        }

        if (table < 1 || table >= end || era is < 0 or > KeyedPrefix.EraMask || options.Kind != PileTableKind.Durable)
        {
            problem = "a value in it is none that this version writes";
            return false;
        }

        row = new DurableRow(table, era, new HashSeed(seed, isFormer), options);
        return true;
    }
}
