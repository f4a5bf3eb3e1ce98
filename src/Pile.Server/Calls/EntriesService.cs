// pile.v1.Entries. The hot calls take the messages
// that are read by hand (EntriesMethods), the others the generated ones. Nothing here waits but for the network, and for a flush that makes room in a full
// durable table.
using System;
using System.Buffers.Binary;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.Options;
using Pile.Cache;
using Pile.Cache.Engine;
using Pile.Server.Leases;
using Pile.Server.Packed;
using Pile.Server.Tables;
using Pile.Server.Watching;

namespace Pile.Server.Calls;

/// <summary>The calls on entries. Thread-safe.</summary>
[BindServiceMethod(typeof(NoBinding), nameof(NoBinding.Bind))]
internal sealed class EntriesService(ServerState state, ScanStore scans, LargeCalls large, LeaseCalls leases, WatchCalls watches, BatchStream stream, BatchWork work, ReplyBudget replies, IOptions<PileServerOptions> served, TimeProvider? time = null) : V1.Entries.EntriesBase
{
    private const string AllTags = "*";

    private readonly PileServerOptions _options = served.Value;
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>Any of the calls whose messages are read by hand.</summary>
    public Task<PackedReply> Packed(PackedRequest request, ServerCallContext context)
    {
        try
        {
            return replies.Counted(context.GetHttpContext(), work.Do(request, out _)).Done;
        }
        finally
        {
            request.Return();
        }
    }

    public Task Batches(IAsyncStreamReader<PackedRequest> requests, IServerStreamWriter<PackedReply> replies, ServerCallContext context) => stream.RunAsync(requests, replies, context);

    public override Task<V1.RefreshReply> Refresh(V1.RefreshRequest request, ServerCallContext context) =>
        Task.FromResult(new V1.RefreshReply { Found = Table(request.Table, request.Key).Entries.Refresh(request.Key.ToByteArray()) });

    public override Task<V1.SetReply> CompareAndSet(V1.CompareAndSetRequest request, ServerCallContext context)
    {
        ServedTable table = Table(request.Table, request.Key);
        CallLimits.Value(request.Value.Length, _options);
        PileEntryVersion version = VersionOf(request.Version);
        PileEntryOptions terms = TableTerms.Of(request.Terms);
        using LeaseChange change = table.Leases.Change(request.Key.Span);
        return Task.FromResult(ReplyOf(table, table.Entries.TrySet(request.Key.ToByteArray(), ReceivedBytes.Of(request.Value), version, terms)));
    }

    public override Task<V1.RemoveReply> CompareAndRemove(V1.CompareAndRemoveRequest request, ServerCallContext context)
    {
        ServedTable table = Table(request.Table, request.Key);
        byte[] key = request.Key.ToByteArray();
        PileEntryVersion version = VersionOf(request.Version);
        using LeaseChange change = table.Leases.Change(key);
        V1.Outcome outcome = table.Entries.TryRemove(key, version) ? V1.Outcome.Removed : table.Entries.ContainsKey(key) ? V1.Outcome.Refused : V1.Outcome.Missing;
        return Task.FromResult(new V1.RemoveReply { Outcome = outcome });
    }

    public override Task<V1.IncrementReply> Increment(V1.IncrementRequest request, ServerCallContext context)
    {
        ServedTable table = Table(request.Table, request.Key);
        PileTable<byte[], byte[]> entries = table.Entries;
        PileEntryOptions terms = TableTerms.Of(request.Terms);
        byte[] key = request.Key.ToByteArray();
        for (int tries = 0; tries < ServerLimits.IncrementTriesMax; tries++)
        {
            bool isThere = TryGetNumber(entries, key, out long number, out PileEntryVersion version);
            long before = isThere ? number : request.Initial;
            long after = before + request.By;
            if (((before ^ after) & (request.By ^ after)) < 0)
            {
                throw CallFailure.Of(StatusCode.OutOfRange, PileStatus.Refused, $"{before:N0} and {request.By:N0} add up to more than 64 bits hold. Nothing was changed.");
            }

            byte[] value = new byte[sizeof(long)];
            BinaryPrimitives.WriteInt64LittleEndian(value, after);
            using LeaseChange change = table.Leases.Change(key);
            PileSetResult result = isThere ? entries.TrySet(key, value, version, Kept(entries, key, request.KeepEnd, terms)) : entries.Add(key, value, terms);
            if (result.Outcome != PileSetOutcome.Refused)
            {
                return Task.FromResult(result.Outcome == PileSetOutcome.Full ? throw Full(table) : new V1.IncrementReply { Value = after, Created = !isThere });
            }

            if (terms.AbsoluteExpiration <= _time.GetUtcNow() && !(isThere && request.KeepEnd))
            {
                throw CallFailure.Of(StatusCode.FailedPrecondition, PileStatus.Refused, "The end that 'terms' says has passed: there would be no entry. Nothing was changed.");
            }
        }

        throw CallFailure.Of(StatusCode.Aborted, PileStatus.Conflict, $"Others were quicker {ServerLimits.IncrementTriesMax:N0} times. Try again.", ServerLimits.RetryAfterMs);
    }

    public override async Task<V1.GetOrLeaseReply> GetOrLease(V1.GetOrLeaseRequest request, ServerCallContext context)
    {
        V1.GetOrLeaseReply reply = await leases.GetAsync(request, context.CancellationToken).ConfigureAwait(false);
        if (reply.HasValue)
        {
            replies.Count(context, reply.Value.Length);
        }

        return reply;
    }

    public override Task<V1.SetReply> SetLeased(V1.SetLeasedRequest request, ServerCallContext context) => Task.FromResult(leases.Set(request));

    public override Task<V1.EndLeaseReply> EndLease(V1.EndLeaseRequest request, ServerCallContext context) => Task.FromResult(leases.End(request));

    public override Task<V1.RemoveByTagReply> RemoveByTag(V1.RemoveByTagRequest request, ServerCallContext context)
    {
        if (request.Tag.Length == 0)
        {
            throw CallFailure.Refused("'tag' is empty: it must be a tag, or \"*\" for all entries.");
        }

        CallLimits.Tag(request.Tag);
        if (request.AllTables && request.Table.Length > 0)
        {
            throw CallFailure.Refused("'table' and 'all_tables' contradict each other: leave one out.");
        }

        // One removal, of which the cache remembers so many, however many tables there are. Where it holds others, those of the server one by one.
        if (request.AllTables && request.Tag != AllTags && state.Tables.AreAll)
        {
            RemoveFromAll(request.Tag);
        }
        else if (request.AllTables)
        {
            EveryTable.Do(state.Tables.All, state.IsServing, table => RemoveByTag(table, request.Tag));
        }
        else
        {
            RemoveByTag(state.Tables.Get(request.Table), request.Tag);
        }

        return Task.FromResult(new V1.RemoveByTagReply());
    }

    public override Task<V1.ScanReply> Scan(V1.ScanRequest request, ServerCallContext context) =>
        Task.FromResult(scans.Page(state.Tables.Get(request.Table), request, _options, context));

    public override Task Watch(V1.WatchRequest request, IServerStreamWriter<V1.WatchReply> replies, ServerCallContext context) => watches.RunAsync(request, replies, context.CancellationToken);

    public override Task GetLarge(V1.GetLargeRequest request, IServerStreamWriter<V1.ValueChunk> replies, ServerCallContext context) =>
        large.GetAsync(Table(request.Table, request.Key).Entries, request.Key.ToByteArray(), replies, context.CancellationToken);

    public override Task<V1.SetReply> SetLarge(IAsyncStreamReader<V1.SetLargeRequest> requests, ServerCallContext context) => large.SetAsync(requests, context.CancellationToken);

    /// <summary>The reply to a store, which has no room as an error.</summary>
    internal static V1.SetReply ReplyOf(ServedTable table, PileSetResult result) =>
        result.Outcome == PileSetOutcome.Full ? throw Full(table) : new V1.SetReply { Outcome = TableTerms.OutcomeOf(result.Outcome) };

    internal static RpcException Full(ServedTable table) => CallFailure.Of(StatusCode.ResourceExhausted, PileStatus.Full, LackOfRoom.OfDevice(table.Entries.Cache) is { } device
        ? $"There is no room for the value: {device}, and to evict others gives it none. What its key had is as it was. Free space on the device, or remove entries."
        : "There is no room for the value within the limits of cache and table, and to evict others gives it none. What its key had is as it was. Remove entries, or raise MemoryLimitBytes.");

    private static PileEntryVersion VersionOf(V1.EntryVersion? version) => version is null
        ? throw CallFailure.Refused("'version' is missing: it is what Get tells with want_version.")
        : new PileEntryVersion((long)version.Number, (long)version.CreatedMs);

    private static bool TryGetNumber(PileTable<byte[], byte[]> entries, byte[] key, out long number, out PileEntryVersion version)
    {
        number = 0;
        if (!entries.TryLease(key, out PileLease lease, out version))
        {
            return false;
        }

        using (lease)
        {
            number = lease.Length == sizeof(long)
                ? BinaryPrimitives.ReadInt64LittleEndian(lease.Bytes)
                : throw CallFailure.Of(StatusCode.FailedPrecondition, PileStatus.TypeMismatch, $"The entry has {lease.Length:N0} bytes and is no number: Increment needs 8, little-endian. Nothing was changed.");
            return true;
        }
    }

    // Asked after the version: if the entry has another end by then, it has another version too, and the store is refused.
    private static PileEntryOptions Kept(PileTable<byte[], byte[]> entries, byte[] key, bool keepsEnd, in PileEntryOptions terms) => keepsEnd && entries.TryGetExpiration(key, out DateTimeOffset? end)
        ? terms with { AbsoluteExpiration = end ?? DateTimeOffset.MaxValue, TimeToLive = null, SlidingExpiration = null }
        : terms;

    private static void RemoveByTag(ServedTable table, string tag)
    {
        using LeaseChange change = tag == AllTags ? table.Leases.ChangeAll() : table.Leases.ChangeTag(tag);
        table.Entries.RemoveByTag(tag);
    }

    private void RemoveFromAll(string tag)
    {
        LeaseChange[] changes = [.. state.Tables.All.Select(table => table.Leases.ChangeTag(tag))];
        try
        {
            state.Tables.Cache.RemoveByTag(tag);
        }
        finally
        {
            Array.ForEach(changes, static change => change.Dispose());
        }
    }

    private ServedTable Table(string table, ByteString key)
    {
        CallLimits.Key(key.Length, _options);
        return state.Tables.Get(table);
    }
}
