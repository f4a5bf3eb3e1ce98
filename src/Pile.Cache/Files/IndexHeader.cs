// The first page of a table's index file: whose it is, and what the table was made with. Types and comparer stand there by their names,
// which are compared with those that the program gives and never looked up. The order of the calls is the layout.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>Content of an index file's header.</summary>
internal sealed record IndexHeader
{
    internal const int Bytes = HeaderBlock.Bytes;

    /// <summary>Bytes of a name in UTF-8 at the most; of a longer one the beginning stands there.</summary>
    internal const int NameBytesMax = 880;

    private const ulong Magic = 0x5844_4E49_454C_4950; // "PILEINDX"
    private const long NoLimit = -1;

    /// <summary>The pile's identity.</summary>
    internal ulong Identity { get; init; }

    /// <summary>The table's number, which is part of the file's name.</summary>
    internal int Table { get; init; }

    /// <summary>What hashes begin with.</summary>
    internal ulong Seed { get; init; }

    /// <summary>Bytes of buckets that the file has places for.</summary>
    internal long IndexBytes { get; init; }

    /// <summary>Recoveries of the pile after power cuts, when the index was last in use: after another one its cells lead anywhere.</summary>
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
        FormatFeatures.Current.Write(ref writer);
        writer.Long(Identity);
        writer.Int(Table);
        writer.Int(RecoveryCount);
        writer.Long(Seed);
        writer.Long(IndexBytes);
        writer.Long(FirstCountingSequence);
        writer.Id(BootId);
        writer.Long(FileFingerprint);
        writer.Byte((byte)Options.Kind);
        writer.Byte((byte)Options.DefaultPriority);
        writer.Long(Options.DefaultTimeToLive?.Ticks ?? NoLimit);
        writer.Long(Options.MaximumEntries ?? NoLimit);
        writer.Long(Options.MaximumBytes ?? NoLimit);
        writer.Long(Options.MinimumBytes);
        WriteName(ref writer, Options.Name);
        WriteName(ref writer, Options.KeyType);
        WriteName(ref writer, Options.ValueType);
        WriteName(ref writer, Options.Comparer.Name);
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
        if (!features.IsReadable)
        {
            problem = $"its format version is {features.Version}, of which this version of Pile knows nothing";
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
        var kind = (PileTableKind)reader.Byte();
        var priority = (PileCachePriority)reader.Byte();
        long life = reader.Long();
        long entriesMax = reader.Long();
        long bytesMax = reader.Long();
        long bytesMin = reader.Long();
        if (!TryReadName(ref reader, out string name) || !TryReadName(ref reader, out string key) || !TryReadName(ref reader, out string value) || !TryReadName(ref reader, out string comparer))
        {
            problem = "a name in it is longer than the format allows";
            return false;
        }

        bool isPossible = table is > 0 and <= CacheLimits.TablesMax && Enum.IsDefined(kind) && Enum.IsDefined(priority) && name.Length > 0
            && indexBytes is >= Limits.HugePageBytes and <= CacheLimits.IndexBytesMax && indexBytes % Limits.OsPageBytes == 0
            && IsLimit(life) && IsLimit(entriesMax) && IsLimit(bytesMax) && bytesMin >= 0;
        if (!isPossible)
        {
            problem = "a value in it is none that this version writes";
            return false;
        }

        header = new IndexHeader
        {
            Identity = identity,
            Table = table,
            Seed = seed,
            IndexBytes = indexBytes,
            RecoveryCount = recoveries,
            FirstCountingSequence = firstCounting,
            BootId = boot,
            FileFingerprint = fingerprint,
            Options = new PileTableOptions
            {
                Kind = kind,
                DefaultPriority = priority,
                DefaultTimeToLive = life < 0 ? null : TimeSpan.FromTicks(life),
                MaximumEntries = entriesMax < 0 ? null : entriesMax,
                MaximumBytes = bytesMax < 0 ? null : bytesMax,
                MinimumBytes = bytesMin,
                Name = name,
                KeyType = key,
                ValueType = value,
                Comparer = new NamedComparer(comparer),
            },
        };
        return true;
    }

    /// <summary>A name as a header has it: cut where it is too long.</summary>
    internal static string Cut(string name)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(name);
        return bytes.Length <= NameBytesMax ? name : Encoding.UTF8.GetString(bytes, 0, NameBytesMax);
    }

    private static bool IsLimit(long value) => value is NoLimit or > 0;

    private static void WriteName(ref LayoutWriter writer, string name)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(name);
        int length = int.Min(bytes.Length, NameBytesMax);
        writer.Int(length);
        foreach (byte item in bytes.AsSpan(0, length))
        {
            writer.Byte(item);
        }
    }

    private static bool TryReadName(ref LayoutReader reader, out string name)
    {
        int length = reader.Int();
        name = string.Empty;
        if (length is < 0 or > NameBytesMax)
        {
            return false;
        }

        byte[] bytes = new byte[length];
        for (int index = 0; index < length; index++)
        {
            bytes[index] = reader.Byte();
        }

        name = Encoding.UTF8.GetString(bytes);
        return true;
    }
}
