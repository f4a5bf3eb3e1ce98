// What is wrong with the list of durable tables in a directory whose cache is not open: the next open of the cache would refuse it. For the tool,
// which says so before somebody relies on the directory.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>A look at the list of durable tables from outside.</summary>
internal static class StoredTables
{
    private const string Without = "Without it the entries of durable tables are nobody's, and the cache does not open: restore the file";

    private const string Holds = "the other holds, nothing is lost, and an open of the cache for writing mends it";

    /// <summary>What is wrong with the list, as far as files say. Nobody need have the pile open, and who has goes on.</summary>
    /// <returns>Null for nothing.</returns>
    /// <exception cref="IOException">A file can't be read.</exception>
    internal static PileDamageReport? Problem(PileInspection pile) => Look(pile, out _);

    /// <summary>Whether a problem is one of a copy that is not needed: the list is there.</summary>
    internal static bool IsMended(PileDamageReport problem) => problem.What.EndsWith(Holds, StringComparison.Ordinal);

    /// <summary>The same, and whether entries of a pile that is open, without its cache, are of a durable table that the list should know and does not.</summary>
    /// <exception cref="OperationCanceledException">Stopped.</exception>
    internal static PileDamageReport? Problem(PileInspection files, ObjectPile pile, CancellationToken stop)
    {
        if (Look(files, out int numbersEnd) is { } problem)
        {
            return problem;
        }

        var core = (HeapCore<DurableRecord>)pile.Core;
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            if ((slot & ushort.MaxValue) == 0)
            {
                stop.ThrowIfCancellationRequested();
            }

            if (TableOf(core, slot) is var table && table >= numbersEnd)
            {
                string path = Path.Combine(files.Directory, StoreNames.CacheTables);
                return new PileDamageReport(path, $"it {(File.Exists(path) ? "is older than the pile" : "is missing")}: there are entries of a durable table with number {table}, which it should name. {Without}");
            }
        }

        return null;
    }

    private static PileDamageReport? Look(PileInspection pile, out int numbersEnd)
    {
        numbersEnd = 1;
        string path = Path.Combine(pile.Directory, StoreNames.CacheTables);
        if (!File.Exists(path))
        {
            foreach (PileFile index in pile.Files.Where(static file => file.Kind == PileFileKind.CacheIndex))
            {
                if (HeaderOf(Path.Combine(pile.Directory, index.Name)) is { Options: { Kind: PileTableKind.Durable } durable })
                {
                    return new PileDamageReport(path, $"it is missing, and '{index.Name}' is the index of the durable table '{durable.Name}', which it should name. {Without}");
                }
            }

            return null;
        }

        using FileStream file = Open(path);
        if (file.Length > CacheLimits.DurableListBytesMax)
        {
            return new PileDamageReport(path, $"it has {file.Length:N0} bytes, and a list of durable tables has at most {CacheLimits.DurableListBytesMax:N0} (DurableListBytesMax). {Without}");
        }

        byte[] bytes = new byte[file.Length];
        int count = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
        if (!DurableList.TryRead(bytes.AsSpan(0, count), out DurableList? list, out string? problem, out bool isNewer))
        {
            return new PileDamageReport(path, isNewer ? $"{problem}: open it with a newer one" : $"{problem}. {Without}");
        }

        if (list.Identity != unchecked((ulong)pile.Identity))
        {
            return new PileDamageReport(path, $"it belongs to another pile. {Without}");
        }

        numbersEnd = list.NumbersEnd;
        return problem is null ? null : new PileDamageReport(path, $"{problem}; {Holds}");
    }

    /// <summary>The header of an index, or null where it can't be read.</summary>
    internal static IndexHeader? HeaderOf(string path)
    {
        byte[] block = new byte[IndexHeader.Bytes];
        try
        {
            using FileStream file = Open(path);
            return file.ReadAtLeast(block, block.Length, throwOnEndOfStream: false) == block.Length && IndexHeader.TryRead(block, out IndexHeader? header, out _) ? header : null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    // No lock: who has the cache open goes on.
    private static FileStream Open(string path) => new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);

    /// <summary>The table whose entry a slot holds; 0 for none, and where its bytes are damaged.</summary>
    private static int TableOf(HeapCore<DurableRecord> core, uint slot)
    {
        ulong entry = core.Table.Read(slot);
        if (!EntryWord.IsLive(entry) || !LogRecord.TryRead(core.Extents, core.Directory, core.Log.Identity, EntryWord.Location(entry), out LogRecord record)
            || record.Slot != slot || record.Code != RecordCode.Extended || record.PayloadBytes < KeyedPrefix.Bytes + KeyedHead.WordsBytes)
        {
            return 0;
        }

        long payload = record.Location + (DurableRecord.HeaderBytes / Limits.WordBytes);
        return KeyedPrefix.IsEntry(record.Code, core.Directory.Space.ReadWord(payload)) && record.IsPayloadWhole(core.Directory.Space)
            ? KeyedHead.Table(core.Directory.Space.ReadWord(payload + 1))
            : 0;
    }
}
