// pile.v1.Tables: makes, lists, describes, clears and drops tables, and tells the server's figures.
// The tables themselves are TableCatalogue's.
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Cache;
using Pile.Server.Leases;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>The calls on tables. Thread-safe.</summary>
[BindServiceMethod(typeof(NoBinding), nameof(NoBinding.Bind))]
internal sealed class TablesService(ServerState state, ReceiveBudget budget, ReplyBudget replies, ServerMetrics metrics) : V1.Tables.TablesBase
{
    private static readonly string _version = typeof(TablesService).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "";

    public override Task<V1.CreateTableReply> Create(V1.CreateTableRequest request, ServerCallContext context) =>
        Task.FromResult(new V1.CreateTableReply { Created = state.Tables.Create(request.Table, request.Options ?? new V1.TableOptions()) });

    public override Task<V1.ListTablesReply> List(V1.ListTablesRequest request, ServerCallContext context) =>
        Task.FromResult(new V1.ListTablesReply { Tables = { state.Tables.All.Select(static table => table.Name) } });

    public override Task<V1.TableDescription> Describe(V1.DescribeTableRequest request, ServerCallContext context)
    {
        ServedTable table = state.Tables.Get(request.Table);
        return Task.FromResult(new V1.TableDescription { Table = table.Name, Options = table.Options, Figures = TableTerms.FiguresOf(table.Entries.GetStatistics()) });
    }

    public override Task<V1.ClearTableReply> Clear(V1.ClearTableRequest request, ServerCallContext context)
    {
        ServedTable table = state.Tables.Get(request.Table);
        using LeaseChange change = table.Leases.ChangeAll();
        table.Entries.Clear();
        return Task.FromResult(new V1.ClearTableReply());
    }

    public override Task<V1.DropTableReply> Drop(V1.DropTableRequest request, ServerCallContext context) =>
        Task.FromResult(new V1.DropTableReply { Dropped = state.Tables.Drop(request.Table) });

    public override Task<V1.StatsReply> Stats(V1.StatsRequest request, ServerCallContext context)
    {
        PileCache cache = state.Tables.Cache;
        PileCacheStatistics figures = cache.GetStatistics();

        PileCacheStatistics list = state.Tables.ListFigures;

        // Entries of durable tables are objects: whoever has read a damaged one has met a miss, as with the others. The list of tables is no client's.
        figures = figures with
        {
            Entries = long.Max(0, figures.Entries - list.Entries),
            EntryBytes = long.Max(0, figures.EntryBytes - list.EntryBytes),
            DamagedEntries = figures.DamagedEntries + cache.Pile.GetStatistics().CorruptedObjects,
        };
        return Task.FromResult(new V1.StatsReply
        {
            Figures = TableTerms.FiguresOf(figures),
            UsedBytes = (ulong)figures.UsedBytes,
            MemoryLimitBytes = (ulong)figures.MemoryLimitBytes,
            IndexBytes = (ulong)figures.IndexBytes,
            Calls = (ulong)metrics.Calls,
            FailedCalls = (ulong)metrics.FailedCalls,
            ReceivingBytes = (ulong)budget.TakenBytes,
            ReceiveBudgetBytes = (ulong)budget.BytesMax,
            ReplyingBytes = (ulong)replies.TakenBytes,
            ReplyBudgetBytes = (ulong)replies.BytesMax,
            Version = _version,
        });
    }
}
