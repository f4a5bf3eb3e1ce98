// The first page of a table's index file: whose it is, and what the table was made with. Types and comparer stand there by their names,
// which are compared with those that the program gives and never looked up. The order of the calls is the layout.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Cache.Keys;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>Content of an index file's header.</summary>
internal sealed record IndexHeader
{
    internal const int Bytes = HeaderBlock.Bytes;

    private const ulong Magic = 0x5844_4E49_454C_4950; // "PILEINDX"

    /// <summary>The pile's identity.</summary>
    internal ulong Identity { get; init; }

    /// <summary>The table's number, which is part of the file's name.</summary>
    internal int Table { get; init; }

    /// <summary>What hashes begin with.</summary>
    internal HashSeed Seed { get; init; }

    /// <summary>Bytes of buckets that the file has places for.</summary>
    internal long IndexBytes { get; init; }

    /// <summary>Recoveries of the pile when the index was last in use: after a power cut since its cells lead anywhere.</summary>
    internal uint RecoveryCount { get; init; }

    /// <summary>The pile's first counting sequence then: after another Clear they lead to nothing.</summary>
    internal long FirstCountingSequence { get; init; }

    /// <summary>The boot in which it was last in use.</summary>
    internal Guid BootId { get; init; }

    /// <summary>Which file it was then, on its device.</summary>
    internal ulong FileFingerprint { get; init; }

    /// <summary>What the table was made with, its name and types included.</summary>
    internal PileTableOptions Options { get; init; } = new();

    /// <summary>Writes the stored form; all of <paramref name="target"/>'s <see cref="Bytes"/> bytes.</summary>
    internal void Write(Span<byte> target)
    {
        target[..Bytes].Clear();
        var writer = new LayoutWriter(target);
        writer.Long(Magic);
        FormatFeatures.OfCache(Seed.IsFormer).Write(ref writer);
        writer.Long(Identity);
        writer.Int(Table);
        writer.Int(RecoveryCount);
        writer.Long(Seed.Value);
        writer.Long(IndexBytes);
        writer.Long(FirstCountingSequence);
        writer.Id(BootId);
        writer.Long(FileFingerprint);
        TableOptionsLayout.Write(ref writer, Options, Seed.IsFormer);
        HeaderBlock.Seal(target[..Bytes]);
    }

    /// <summary>Reads the stored form.</summary>
    /// <param name="source">The whole block.</param>
    /// <param name="header">The header; its comparer is one that only has a name.</param>
    /// <param name="problem">What is wrong.</param>
    internal static bool TryRead(ReadOnlySpan<byte> source, [NotNullWhen(true)] out IndexHeader? header, [NotNullWhen(false)] out string? problem)
    {
        header = null;
        if (!HeaderBlock.IsWhole(source, Magic, out problem))
        {
            return false;
        }

        var reader = new LayoutReader(source[sizeof(ulong)..]);
        FormatFeatures features = FormatFeatures.Read(ref reader);
        if (!features.IsReadableWith(FormatFeatures.HashesOfToday))
        {
            problem = features.Unreadable(FormatFeatures.HashesOfToday);
            return false;
        }

        ulong identity = reader.ULong();
        int table = reader.Int();
        uint recoveries = reader.UInt();
        ulong seed = reader.ULong();
        long indexBytes = reader.Long();
        long firstCounting = reader.Long();
        Guid boot = reader.Id();
        ulong fingerprint = reader.ULong();
        if (!TableOptionsLayout.TryRead(ref reader, out PileTableOptions options, out bool isFormer, out problem))
        {
            return false;
        }

        bool isPossible = table is > 0 and <= CacheLimits.TablesMax
            && indexBytes is >= Limits.HugePageBytes and <= CacheLimits.IndexBytesMax && indexBytes % Limits.OsPageBytes == 0;
        if (!isPossible)
        {
            problem = "a value in it is none that this version writes";
            return false;
        }

        header = new IndexHeader
        {
            Identity = identity,
            Table = table,
            Seed = new HashSeed(seed, isFormer),
            IndexBytes = indexBytes,
            RecoveryCount = recoveries,
            FirstCountingSequence = firstCounting,
            BootId = boot,
            FileFingerprint = fingerprint,
            Options = options,
        };
        return true;
    }
}
