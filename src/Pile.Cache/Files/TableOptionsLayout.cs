// What a table was made with, as files have it: in the header of its index, and in the list of durable tables. Types and comparer stand
// there by their names, which are compared with those that the program gives and never looked up. The order of the calls is the layout.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pile.Format;

namespace Pile.Cache.Files;

/// <summary>Writing and reading of a table's options.</summary>
internal static class TableOptionsLayout
{
    /// <summary>Bytes of a name in UTF-8 at the most; of a longer one the beginning stands there.</summary>
    internal const int NameBytesMax = 880;

    /// <summary>Bytes of the stored form at the most.</summary>
    internal const int BytesMax = FixedBytes + (4 * (sizeof(int) + NameBytesMax));

    private const int FixedBytes = 2 + (4 * sizeof(long));
    private const long NoLimit = -1;
    private const byte HashesOfToday = 2; // beside the kind, which is 0 or 1

    /// <summary>Writes the stored form.</summary>
    internal static void Write(ref LayoutWriter writer, PileTableOptions options, bool hasFormerHashes)
    {
        writer.Byte((byte)((byte)options.Kind | (hasFormerHashes ? 0 : HashesOfToday)));
        writer.Byte((byte)options.DefaultPriority);
        writer.Long(options.DefaultTimeToLive?.Ticks ?? NoLimit);
        writer.Long(options.MaximumEntries ?? NoLimit);
        writer.Long(options.MaximumBytes ?? NoLimit);
        writer.Long(options.MinimumBytes);
        WriteName(ref writer, options.Name);
        WriteName(ref writer, options.KeyType);
        WriteName(ref writer, options.ValueType);
        WriteName(ref writer, options.Comparer.Name);
    }

    /// <summary>Reads the stored form.</summary>
    /// <param name="reader">From where.</param>
    /// <param name="options">The options; their comparer is one that only has a name.</param>
    /// <param name="hasFormerHashes">Whether its hashes are the former ones (<see cref="Keys.HashSeed"/>).</param>
    /// <param name="problem">What is wrong, or null.</param>
    /// <returns>False when there is a problem.</returns>
    internal static bool TryRead(ref LayoutReader reader, out PileTableOptions options, out bool hasFormerHashes, [NotNullWhen(false)] out string? problem)
    {
        options = new PileTableOptions();
        hasFormerHashes = false;
        problem = "it ends in the midst of a table's options";
        if (reader.Left < FixedBytes)
        {
            return false;
        }

        byte first = reader.Byte();
        hasFormerHashes = (first & HashesOfToday) == 0;
        var kind = (PileTableKind)(first & ~HashesOfToday);
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

        bool isPossible = Enum.IsDefined(kind) && Enum.IsDefined(priority) && name.Length > 0 && IsLimit(life) && IsLimit(entriesMax) && IsLimit(bytesMax) && bytesMin >= 0;
        problem = isPossible ? null : "a value in it is none that this version writes";
        options = new PileTableOptions
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
        };
        return isPossible;
    }

    /// <summary>A name as files have it: cut where it is too long.</summary>
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
        name = string.Empty;
        int length = reader.Left < sizeof(int) ? -1 : reader.Int();
        if (length < 0 || length > NameBytesMax || length > reader.Left)
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
