// The file of durable tables in a pile's directory. Each change is a new file, whole and durable before it takes the place of the one
// before by a rename: at every instant there is one list, and what a call has acknowledged is in it. A table is there from the moment its
// row is; it is dropped, and cleared, by the one rename that says so.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Index;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>The durable tables of one directory. Thread-safe.</summary>
internal sealed class DurableTables
{
    private readonly DurableHeap _heap;
    private readonly Lock _gate = new();
    private DurableList _list;

    /// <summary>Reads the file, where there is one.</summary>
    /// <exception cref="PileCorruptedException">It is damaged.</exception>
    /// <exception cref="PileFormatException">A newer version is needed.</exception>
    internal DurableTables(DurableHeap heap)
    {
        _heap = heap;
        _list = new DurableList(heap.Directory.Meta.Identity, 1, []);
        IsThere = Provider.Exists(FullPath);
        if (!IsThere)
        {
            return;
        }

        byte[] bytes;
        using (StoreFile file = Provider.Open(FullPath, FileOpening.ReadOnly))
        {
            if (file.Bytes > CacheLimits.DurableListBytesMax)
            {
                throw new PileCorruptedException(
                    $"'{FullPath}' has {file.Bytes:N0} bytes, and a list of durable tables has at most {CacheLimits.DurableListBytesMax:N0} (DurableListBytesMax). Without it their entries are nobody's. Restore the file. Nothing was changed.", path: FullPath);
            }

            bytes = new byte[file.Bytes];
            file.Read(0, bytes);
        }

        bool isWhole = DurableList.TryRead(bytes, out DurableList? list, out string? problem, out bool isNewer);
        if (isNewer)
        {
            throw new PileFormatException($"'{FullPath}': {problem}. Open it with a newer one. Nothing was changed.", FullPath);
        }

        if (!isWhole || list!.Identity != heap.Directory.Meta.Identity)
        {
            throw new PileCorruptedException(
                $"'{FullPath}': {problem ?? "it belongs to another pile"}. It says which durable tables the cache has, and without it their entries are nobody's. Restore the file. Nothing was changed.", path: FullPath);
        }

        _list = list;
        if (problem is not null && !heap.Directory.IsReadOnly)
        {
            Mend();
        }
    }

    /// <summary>Whether there is such a file: as soon as a durable table was to be made.</summary>
    internal bool IsThere { get; private set; }

    /// <summary>The file's path.</summary>
    internal string FullPath => Path.Combine(_heap.Directory.FullPath, StoreNames.CacheTables);

    /// <summary>The tables.</summary>
    internal IReadOnlyList<DurableRow> Rows => Volatile.Read(ref _list).Rows;

    /// <summary>Numbers from here on were never a durable table's.</summary>
    internal int NumbersEnd => Volatile.Read(ref _list).NumbersEnd;

    private FileProvider Provider => _heap.Directory.Files;

    /// <summary>The row of a table, or null.</summary>
    internal DurableRow? Find(int table) => Rows.FirstOrDefault(row => row.Table == table);

    /// <summary>Adds a table, or changes the row of one; durable when it returns.</summary>
    /// <exception cref="PileFullException">The device has no room for the list: it is as it was. So it is when another call of its new file failed,
    /// as <see cref="DirectoryErrors"/> says.</exception>
    /// <exception cref="InvalidOperationException">The list would be too long (DurableListBytesMax): it is as it was.</exception>
    /// <exception cref="PilePoisonedException">Which list holds is not known: nothing can be written until the next open.</exception>
    internal void Set(DurableRow row)
    {
        lock (_gate)
        {
            Store([.. Rows.Where(other => other.Table != row.Table), row]);
        }
    }

    /// <summary>Begins the next era of a table; durable when it returns. Exceptions as of <see cref="Set"/>.</summary>
    /// <returns>The era; -1 when the table was dropped, and stays so.</returns>
    internal int BeginEra(int table)
    {
        lock (_gate)
        {
            if (Find(table) is not { } row)
            {
                return -1;
            }

            int era = (row.Era + 1) & KeyedPrefix.EraMask;
            Store([.. Rows.Where(other => other.Table != table), row with { Era = era }]);
            return era;
        }
    }

    /// <summary>Removes a table; durable when it returns. Exceptions as of <see cref="Set"/>.</summary>
    internal void Remove(int table)
    {
        lock (_gate)
        {
            Store([.. Rows.Where(other => other.Table != table)]);
        }
    }

    /// <summary>Makes sure that there is a list before the index of a durable table: without it an open would take it for lost. Exceptions as of
    /// <see cref="Set"/>.</summary>
    internal void NoteComing(PileTableOptions options)
    {
        lock (_gate)
        {
            if (options.Kind == PileTableKind.Durable && !IsThere)
            {
                Store([]);
            }
        }
    }

    /// <summary>Adds a new table to the list of durable ones, if it is one: it is there from then on. When that fails, its index is gone.</summary>
    internal void NoteMade(DurableRow row, TableIndex index, IndexFile file)
    {
        if (row.Options.Kind != PileTableKind.Durable)
        {
            return;
        }

        try
        {
            Set(row);
        }
        catch
        {
            file.MarkDropped();
            index.Dispose();
            throw;
        }
    }

    /// <summary>Notes the options that a table has from now on.</summary>
    internal void NoteWoken(TableBase table, PileTableOptions options)
    {
        PileTableOptions had = table.Options;
        bool isSame = (had.DefaultPriority, had.DefaultTimeToLive, had.MinimumBytes, had.KeyType, had.ValueType)
            == (options.DefaultPriority, options.DefaultTimeToLive, options.MinimumBytes, options.KeyType, options.ValueType);
        if (table.Slots is not null && !isSame)
        {
            Set(Find(table.Id)! with { Options = options });
        }
    }

    /// <summary>Takes a table that is dropped from the list of durable ones: it is gone from then on.</summary>
    internal void NoteDropped(TableBase table)
    {
        if (table.Slots is not null)
        {
            Remove(table.Id);
        }
    }

    /// <summary>Writes the list anew where one of its copies is damaged.</summary>
    private void Mend()
    {
        try
        {
            Store([.. Rows]);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or PileFullException)
        {
            // The other copy holds, as before: the next open tries again, and 'pile verify' says so.
        }
    }

    private void Store(DurableRow[] rows)
    {
        // A pile that takes no writes any more: what is refused must not have taken place, and an open will look at what is there.
        _heap.Core.ThrowIfPoisoned(_heap.Core.WriteRefusal);
        int end = rows.Length == 0 ? 0 : rows.Max(static row => row.Table) + 1;
        var list = new DurableList(_list.Identity, int.Max(_list.NumbersEnd, end), rows);
        byte[] bytes = list.ToBytes();
        if (bytes.Length > CacheLimits.DurableListBytesMax)
        {
            throw new InvalidOperationException(
                $"With {rows.Length:N0} durable tables their list would have {bytes.Length:N0} bytes, of at most {CacheLimits.DurableListBytesMax:N0} (DurableListBytesMax). Drop some, or use another cache.");
        }

        try
        {
            SideFiles.Write(Provider, _heap.Directory.FullPath, StoreNames.CacheTablesNext, bytes);
        }
        catch (FileCallException failure)
        {
            throw DirectoryErrors.For(failure, isOfPile: true);
        }

        Fault.Stop(StopPoint.CacheListWritten);
        _heap.CallFiles(() =>
        {
            Provider.Rename(Path.Combine(_heap.Directory.FullPath, StoreNames.CacheTablesNext), FullPath);
            Fault.Stop(StopPoint.CacheListRenamed);
            Provider.SyncDirectory(_heap.Directory.FullPath);
        });
        IsThere = true;
        Volatile.Write(ref _list, list);
    }
}
