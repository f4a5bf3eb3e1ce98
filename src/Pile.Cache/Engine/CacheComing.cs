// How a cache comes to a pile: in memory it is made, in files it takes the tables that are there. One that fails before it is the pile's is undone;
// one that fails afterwards, with the cleaner at work in its entries, is left there for the next that comes to the pile.
using System;
using System.Collections.Generic;
using Pile.Cache.Files;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;

namespace Pile.Cache.Engine;

/// <summary>Makes the composition of a cache.</summary>
internal static class CacheComing
{
    /// <summary>Comes to a pile, with the lock of those who come.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="options">The cache's options.</param>
    /// <param name="memory">Source of memory for indexes and ghosts.</param>
    /// <param name="tables">Where tables are to be that were asked for, by name.</param>
    /// <exception cref="InvalidOperationException">The pile has a cache already.</exception>
    internal static CacheBase Come(ObjectPile pile, PileCacheOptions options, RegionProvider memory, out Dictionary<string, object> tables)
    {
        tables = new Dictionary<string, object>(StringComparer.Ordinal);
        if (pile.Core.Keyed is CacheBase { Left: { } left } there)
        {
            (there as CacheCore<DurableRecord>)?.Files?.DeleteUnowned();
            (tables, there.Left) = (left, null);
            there.Clock.Provider = options.TimeProvider;
            return there;
        }

        if (pile.Core.Keyed is not null)
        {
            throw new InvalidOperationException("The pile has a cache already, or one that was disposed: one pile, one cache. Add a table to the one that it has.");
        }

        if (pile.Core is HeapCore<MemoryRecord> core)
        {
            return new CacheCore<MemoryRecord>(pile, core, options.TimeProvider, memory);
        }

        if (pile.Durable!.Directory.IsReadOnly)
        {
            throw new ArgumentException($"'{pile.Durable.Directory.FullPath}' is opened for reading alone, and reads of a cache store times and visits. Open the pile for writing.", nameof(pile));
        }

        var files = new CacheCore<DurableRecord>(pile, pile.Durable.Core, options.TimeProvider, memory);
        try
        {
            files.Files = new CacheFiles(pile.Durable, files, memory);
            files.Files.Attach();
        }
        catch (FileCallException failure)
        {
            files.Dispose();
            throw DirectoryErrors.For(failure, isOfPile: true);
        }
        catch
        {
            files.Dispose();
            throw;
        }

        try
        {
            // It is the pile's by now, and no more to be freed before that is.
            files.Files.DeleteUnowned();
            return files;
        }
        catch
        {
            files.Left = tables;
            throw;
        }
    }

    /// <summary>Leaves a cache that has come, and failed then, to the next one: it goes on where this one ended.</summary>
    internal static void Leave(ObjectPile pile, CacheBase cache, Dictionary<string, object> tables)
    {
        lock (pile.Core.KeyedComing)
        {
            cache.Left = tables;
        }
    }
}
