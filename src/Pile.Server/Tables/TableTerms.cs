// From the messages of tables and entries to the cache's own options, and back for figures. Times beyond what .NET can say are as long as
// it can: such an entry does not end while anybody looks.
using System;
using System.Linq;
using Pile.Cache;
using Pile.Cache.Tags;
using Pile.Server.Calls;

namespace Pile.Server.Tables;

/// <summary>Options of tables and entries.</summary>
internal static class TableTerms
{
    internal static PileTableOptions Of(V1.TableOptions options) => new()
    {
        Kind = options.Kind switch
        {
            V1.TableKind.Speculative => PileTableKind.Speculative,
            V1.TableKind.Durable => PileTableKind.Durable,
            _ => throw CallFailure.Refused($"The kind {(int)options.Kind} is none: there are TABLE_KIND_SPECULATIVE (0) and TABLE_KIND_DURABLE (1)."),
        },
        DefaultTimeToLive = Span(options.DefaultTimeToLiveMs),
        DefaultPriority = Of(options.DefaultPriority) ?? PileCachePriority.Normal,
        MaximumEntries = Limit(options.EntriesMax),
        MaximumBytes = Limit(options.BytesMax),
        MinimumBytes = (long)ulong.Min(options.BytesMin, long.MaxValue),
        InitialCapacity = (long)ulong.Min(options.InitialEntries, long.MaxValue),
    };

    internal static PileEntryOptions Of(V1.EntryTerms? terms) => terms is null ? default : new PileEntryOptions
    {
        TimeToLive = Span(terms.TimeToLiveMs),
        SlidingExpiration = Span(terms.SlidingMs),
        AbsoluteExpiration = terms.EndsAtUnixMs == 0 ? null
            : DateTimeOffset.FromUnixTimeMilliseconds((long)ulong.Min(terms.EndsAtUnixMs, (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds())),
        Priority = Of(terms.Priority),
        Tags = terms.Tags.Count == 0 ? null : TagsOf(terms),
    };

    internal static V1.CacheFigures FiguresOf(PileCacheStatistics figures) => new()
    {
        Entries = (ulong)figures.Entries,
        EntryBytes = (ulong)figures.EntryBytes,
        Hits = (ulong)figures.Hits,
        Misses = (ulong)figures.Misses,
        Evictions = (ulong)figures.Evictions,
        Expirations = (ulong)figures.Expirations,
        DamagedEntries = (ulong)figures.DamagedEntries,
    };

    internal static V1.Outcome OutcomeOf(PileSetOutcome outcome) => outcome switch
    {
        PileSetOutcome.Inserted => V1.Outcome.Inserted,
        PileSetOutcome.Replaced => V1.Outcome.Replaced,
        PileSetOutcome.Refused => V1.Outcome.Refused,
        PileSetOutcome.Full => V1.Outcome.Full,
        _ => V1.Outcome.Expired,
    };

    private static PileCachePriority? Of(V1.Priority priority) => priority switch
    {
        V1.Priority.Table => null,
        V1.Priority.Low => PileCachePriority.Low,
        V1.Priority.Normal => PileCachePriority.Normal,
        V1.Priority.High => PileCachePriority.High,
        V1.Priority.NeverRemove => PileCachePriority.NeverRemove,
        _ => throw CallFailure.Refused($"The priority {(int)priority} is none: there are 0 to {Enum.GetValues<V1.Priority>().Cast<int>().Max()}."),
    };

    // What can't be an entry's is refused before its call outdates a lease.
    private static string[] TagsOf(V1.EntryTerms terms)
    {
        string[] tags = [.. terms.Tags];
        Array.ForEach(tags, CallLimits.Tag);
        _ = TagHash.Of(tags);
        return tags;
    }

    private static TimeSpan? Span(ulong ms) => ms == 0 ? null : TimeSpan.FromTicks((long)ulong.Min(ms, (ulong)TimeSpan.MaxValue.Ticks / TimeSpan.TicksPerMillisecond) * TimeSpan.TicksPerMillisecond);

    private static long? Limit(ulong value) => value == 0 ? null : (long)ulong.Min(value, long.MaxValue);
}
