// The names of all files in a pile's directory, and which of them may stand there before the pile exists.
// Names only: what is in the files is Format's business.
using System;
using System.Globalization;

namespace Pile.Persistence;

/// <summary>Names inside the directory of a pile.</summary>
internal static class StoreNames
{
    /// <summary>The two meta slots. A directory without it is no pile.</summary>
    internal const string Meta = "pile.meta";

    /// <summary>What becomes <see cref="Meta"/>, while a pile is being created.</summary>
    internal const string MetaInCreation = "pile.meta.new";

    /// <summary>Locked while the pile is open; holds the writer's process id.</summary>
    internal const string Lock = "lock";

    /// <summary>What ext4 makes at its root.</summary>
    internal const string FileSystemRoot = "lost+found";

    /// <summary>The directory of extent files.</summary>
    internal const string Extents = "extents";

    /// <summary>What a cache knew when it was closed in order.</summary>
    internal const string CacheFacts = "cache.facts";

    /// <summary>The durable tables of a cache: truth, not derived.</summary>
    internal const string CacheTables = "cache.tables";

    /// <summary>What becomes <see cref="CacheTables"/>.</summary>
    internal const string CacheTablesNext = "cache.tables.new";

    private const string IndexPrefix = "index.";
    private const string TablePrefix = "table.";
    private const string FloorsPrefix = "floors.";
    private const string SumsPrefix = "sums.";
    private const string CheckpointPrefix = "checkpoint.";
    private const int ExtentDigits = 8;

    /// <summary>Name of an extent file, inside <see cref="Extents"/>.</summary>
    internal static string OfExtent(int firstRow) => firstRow.ToString("D8", CultureInfo.InvariantCulture);

    /// <summary>Name of a table file.</summary>
    internal static string OfTable(uint number) => TablePrefix + number.ToString(CultureInfo.InvariantCulture);

    /// <summary>Name of a file of generation floors.</summary>
    internal static string OfFloors(uint number) => FloorsPrefix + number.ToString(CultureInfo.InvariantCulture);

    /// <summary>Name of a file of table checksums.</summary>
    internal static string OfSums(uint number) => SumsPrefix + number.ToString(CultureInfo.InvariantCulture);

    /// <summary>Name of a checkpoint file.</summary>
    internal static string OfCheckpoint(uint number) => CheckpointPrefix + number.ToString(CultureInfo.InvariantCulture);

    /// <summary>Name of the index file of a cache's table.</summary>
    internal static string OfIndex(uint table) => IndexPrefix + table.ToString(CultureInfo.InvariantCulture);

    /// <summary>Whether a name is that of an index file.</summary>
    internal static bool IsIndex(string name, out uint table) => IsNumbered(name, IndexPrefix, out table) && name == OfIndex(table);

    /// <summary>Whether a name is that of an extent file. Others are not ours: file systems and backups leave such.</summary>
    internal static bool IsExtent(string name, out int firstRow)
    {
        firstRow = 0;
        return name.Length == ExtentDigits && int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out firstRow);
    }

    /// <summary>Whether a name is that of a table file.</summary>
    internal static bool IsTable(string name, out uint number) => IsNumbered(name, TablePrefix, out number) && name == OfTable(number);

    /// <summary>Whether a name is that of a file of generation floors.</summary>
    internal static bool IsFloors(string name, out uint number) => IsNumbered(name, FloorsPrefix, out number) && name == OfFloors(number);

    /// <summary>Whether a name is that of a file of table checksums.</summary>
    internal static bool IsSums(string name, out uint number) => IsNumbered(name, SumsPrefix, out number) && name == OfSums(number);

    /// <summary>Whether a name is that of a checkpoint file.</summary>
    internal static bool IsCheckpoint(string name, out uint number) => IsNumbered(name, CheckpointPrefix, out number) && name == OfCheckpoint(number);

    /// <summary>Whether a creation that did not come to its end may have left a name.</summary>
    internal static bool IsOfCreation(string name) => name is Lock or Extents or MetaInCreation;

    /// <summary>Whether a name is that of a file beside meta and extents: a table, its sums, a checkpoint, floors.</summary>
    internal static bool IsNumbered(string name) => IsTable(name, out _) || IsSums(name, out _) || IsCheckpoint(name, out _) || IsFloors(name, out _);

    private static bool IsNumbered(string name, string prefix, out uint number)
    {
        number = 0;
        return name.StartsWith(prefix, StringComparison.Ordinal)
            && uint.TryParse(name.AsSpan(prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }
}
