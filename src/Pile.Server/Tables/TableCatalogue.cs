// The tables that clients can use. What they were made with stands in a durable table of the same cache, so that a server has them again
// after any end; whatever else the cache holds is not shown. The list is replaced as a whole under the lock, and read without it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.Logging;
using Pile.Cache;
using Pile.Server.Calls;
using Pile.Server.Leases;
using Pile.Server.Watching;

namespace Pile.Server.Tables;

/// <summary>The tables of the server. Thread-safe.</summary>
internal sealed class TableCatalogue
{
    /// <summary>The table that is always there; an empty name means it.</summary>
    internal const string DefaultName = "default";

    /// <summary>Names of the server's own tables begin so.</summary>
    internal const string ReservedPrefix = "pile.";

    private const string ListName = ReservedPrefix + "server.tables";

    private static readonly UTF8Encoding _strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly Lock _changing = new();
    private readonly LeaseRoom _leases;
    private readonly WatchRoom _watches;
    private readonly int _tablesMax;
    private readonly PileTable<byte[], byte[]> _list;
    private Dictionary<byte[], ServedTable> _tables = new(new NameComparer());
    private readonly ServedTable _default;

    /// <summary>The catalogue of a cache, with the tables that were there.</summary>
    /// <param name="cache">The cache.</param>
    /// <param name="leases">The room for leases.</param>
    /// <param name="watches">The room for watches.</param>
    /// <param name="tablesMax">With how many tables no other is made; those that were there are opened, however many they are.</param>
    /// <param name="logger">Told of a table that can't be opened.</param>
    /// <exception cref="PileFullException">There is no room for one of the tables, which it names. Without it there is no start: it would be called missing.</exception>
    internal TableCatalogue(PileCache cache, LeaseRoom leases, WatchRoom watches, int tablesMax, ILogger logger)
    {
        Cache = cache;
        _leases = leases;
        _watches = watches;
        _tablesMax = tablesMax;
        _list = cache.GetOrCreateTable<byte[], byte[]>(ListName, new PileTableOptions { Kind = PileTableKind.Durable });
        foreach ((byte[] name, byte[] options) in _list.Enumerate())
        {
            try
            {
                // Without what a later server knew, as requests are read: the same options are to be the same.
                _ = Show(Open(Encoding.UTF8.GetString(name), V1.TableOptions.Parser.WithDiscardUnknownFields(true).ParseFrom(options)));
            }
            catch (Exception impossible) when (impossible is RpcException or ArgumentException or InvalidProtocolBufferException or PileTypeMismatchException)
            {
                // No table can be so, by a name or options that are none, or the cache has another one of the name: a power cut may leave the list's row of a table
                // and not the end of the one before. The others are served. Nothing of it is touched, and who asks can drop it.
                ServerLog.TableLeftOut(logger, ShownName.Of(Encoding.UTF8.GetString(name)), impossible);
            }
        }

        _default = Find("default"u8) ?? Show(Open(DefaultName, new V1.TableOptions()));
    }

    internal PileCache Cache { get; }

    /// <summary>What the list itself takes, in a table of its own.</summary>
    internal PileCacheStatistics ListFigures => _list.GetStatistics();

    /// <summary>All tables, by their names.</summary>
    internal IEnumerable<ServedTable> All => Volatile.Read(ref _tables).Values.OrderBy(static table => table.Name, StringComparer.Ordinal);

    /// <summary>Whether the cache has no other tables: what is done to all of its tables is done to these then.</summary>
    internal bool AreAll => Cache.TableNames.All(name => name == ListName || Find(Encoding.UTF8.GetBytes(name)) is not null);

    /// <summary>The table of a name in UTF-8; allocates nothing.</summary>
    /// <exception cref="RpcException">There is none.</exception>
    internal ServedTable Get(ReadOnlySpan<byte> name) => name.IsEmpty ? _default : Find(name) ?? throw Missing(Encoding.UTF8.GetString(name));

    /// <summary>The table of a name.</summary>
    /// <exception cref="RpcException">There is none.</exception>
    internal ServedTable Get(string name) => name.Length == 0 ? _default : Find(Encoding.UTF8.GetBytes(name)) ?? throw Missing(name);

    /// <summary>Makes a table.</summary>
    /// <returns>False when it was there with the same options.</returns>
    /// <exception cref="RpcException">The name can't be, there is a table of that name with other options, or there are as many as there may be.</exception>
    internal bool Create(string name, V1.TableOptions options)
    {
        Require(name);
        lock (_changing)
        {
            if (Find(Encoding.UTF8.GetBytes(name)) is { } present)
            {
                return present.Options.Equals(options)
                    ? false
                    : throw CallFailure.Of(StatusCode.AlreadyExists, PileStatus.Refused, $"The table '{ShownName.Of(name)}' is there with other options: {present.Options}. Drop it first, or use another name.");
            }

            if (_tables.Count >= _tablesMax)
            {
                throw CallFailure.Of(StatusCode.ResourceExhausted, PileStatus.Full, $"The server has {_tables.Count:N0} tables, and may have {_tablesMax:N0} (TablesMax). Drop one, or raise it.");
            }

            if (Cache.TableNames.Contains(name))
            {
                throw CallFailure.Of(StatusCode.AlreadyExists, PileStatus.Refused, _list.ContainsKey(Encoding.UTF8.GetBytes(name))
                    ? $"The table '{ShownName.Of(name)}' was left out at the start, because the cache has it as another one (TableLeftOut in the log). Drop it first, with its entries, or use another name."
                    : $"The cache has a table '{ShownName.Of(name)}' that is not the server's. Use another name.");
            }

            // Refused before the list has it: each start opens what the list names.
            TableTerms.Of(options).Validate();

            // The list first: a server that is killed in between opens what the list names.
            byte[] utf8 = Encoding.UTF8.GetBytes(name);
            if (!_list.Set(utf8, options.ToByteArray()).IsStored)
            {
                throw CallFailure.Of(StatusCode.ResourceExhausted, PileStatus.Full, "There is no room for another table within the memory limit of the cache.");
            }

            bool isOpen = false;
            try
            {
                _ = Show(Open(name, options));
                isOpen = true;
            }
            finally
            {
                _ = !isOpen && _list.Remove(utf8);
            }

            return true;
        }
    }

    /// <summary>Drops a table.</summary>
    /// <returns>False when there is none.</returns>
    internal bool Drop(string name)
    {
        Require(name);
        if (name == DefaultName)
        {
            throw CallFailure.Refused($"The table '{DefaultName}' is always there. Clear it instead.");
        }

        lock (_changing)
        {
            byte[] utf8 = Encoding.UTF8.GetBytes(name);
            if (Find(utf8) is not { } table)
            {
                // One that could not be opened. What the cache has of that name goes with it, if it is as the server makes tables.
                _ = _list.ContainsKey(utf8) && IsOfBytes(name) && Cache.DropTable(name);
                return _list.Remove(utf8);
            }

            try
            {
                // The entries first: what a kill leaves is the table without them.
                _ = Cache.DropTable(name);
                _ = _list.Remove(utf8);
            }
            finally
            {
                // A drop that fails midway has ended the table: nobody may find it here, or could make one of its name.
                if (table.HasEnded)
                {
                    Hide(table);
                }
            }

            return true;
        }
    }

    private bool IsOfBytes(string name)
    {
        try
        {
            return Cache.TableNames.Contains(name) && Cache.GetOrCreateTable<byte[], byte[]>(name) is not null;
        }
        catch (PileTypeMismatchException)
        {
            return false;
        }
    }

    private static RpcException Missing(string name) => CallFailure.Of(
        StatusCode.NotFound, PileStatus.Refused, $"There is no table '{ShownName.Of(name)}'. Make it by Tables/Create (of the .NET client: CreateTableAsync), or leave the name empty for the table '{DefaultName}'.");

    private static void Require(string name)
    {
        if (name.Length is 0 or > ServerLimits.TableNameCharsMax)
        {
            throw CallFailure.Refused($"The name of a table has 1 to {ServerLimits.TableNameCharsMax} chars; this one has {name.Length:N0}.");
        }

        if (name.StartsWith(ReservedPrefix, StringComparison.Ordinal))
        {
            throw CallFailure.Refused($"Names that begin with '{ReservedPrefix}' are the server's own. Use another one than '{ShownName.Of(name)}'.");
        }

        try
        {
            _ = _strict.GetByteCount(name);
        }
        catch (EncoderFallbackException)
        {
            throw CallFailure.Refused("The name of a table must be well-formed text.");
        }
    }

    /// <summary>Opens a table. Where the list has one with more for it alone than it may hold, that is all that it may hold.</summary>
    private ServedTable Open(string name, V1.TableOptions options)
    {
        PileTableOptions terms = TableTerms.Of(options);
        terms = terms with { MinimumBytes = long.Min(terms.MinimumBytes, terms.MaximumBytes ?? long.MaxValue) };
        return new(name, options, Cache.GetOrCreateTable<byte[], byte[]>(name, terms), _leases, _watches);
    }

    private ServedTable Show(ServedTable table)
    {
        Volatile.Write(ref _tables, new Dictionary<byte[], ServedTable>(_tables, _tables.Comparer) { [table.Utf8] = table });
        return table;
    }

    private void Hide(ServedTable table)
    {
        var rest = new Dictionary<byte[], ServedTable>(_tables, _tables.Comparer);
        _ = rest.Remove(table.Utf8);
        Volatile.Write(ref _tables, rest);
        table.Leases.ChangeAll().Dispose();
        table.Watches.EndAll();
    }

    private ServedTable? Find(ReadOnlySpan<byte> name) =>
        Volatile.Read(ref _tables).GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(name, out ServedTable? table) ? table : null;
}
