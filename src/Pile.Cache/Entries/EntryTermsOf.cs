// From what a caller says of an entry, and the table's defaults, to its terms.
// Ends in the past are allowed: such an entry is not stored.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Cache.Engine;
using Pile.Cache.Tags;
using Pile.Primitives;

namespace Pile.Cache.Entries;

/// <summary>Makes terms.</summary>
internal static class EntryTermsOf
{
    /// <summary>The terms of an entry that is stored now.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static EntryTerms Options(TableBase table, in PileEntryOptions options)
    {
        if (options.Priority is { } priority && (uint)priority > (uint)PileCachePriority.NeverRemove)
        {
            ThrowPriority(priority);
        }

        long now = table.Clock.Now;
        bool isPlain = options.AbsoluteExpiration is null && options.TimeToLive is null && options.SlidingExpiration is null && options.KeptPastEnd is null && options.Tags is null;
        return isPlain && table.Options.DefaultTimeToLive is null
            ? new EntryTerms(now, EntryTerms.Never, 0, (int)(options.Priority ?? table.Options.DefaultPriority))
            : Timed(table, options, now);
    }

    private static EntryTerms Timed(TableBase parts, in PileEntryOptions options, long now)
    {
        PileTableOptions table = parts.Options;
        bool hasEnd = options.AbsoluteExpiration is not null || options.SlidingExpiration is not null;
        TimeSpan? life = options.TimeToLive ?? (hasEnd ? null : table.DefaultTimeToLive);
        RefuseUnlessPositive(life, nameof(PileEntryOptions.TimeToLive));
        RefuseUnlessPositive(options.SlidingExpiration, nameof(PileEntryOptions.SlidingExpiration));
        long end = options.AbsoluteExpiration?.UtcTicks ?? EntryTerms.Never;
        if (life is { } span)
        {
            end = long.Min(end, Later(now, span.Ticks));
        }

        long sliding = options.SlidingExpiration?.Ticks ?? 0;
        int rank = (int)(options.Priority ?? table.DefaultPriority);
        long kept = options.KeptPastEnd?.Ticks ?? 0;
        if (kept < 0)
        {
            Throw.Argument("options", options.KeptPastEnd, $"PileEntryOptions.{nameof(PileEntryOptions.KeptPastEnd)} must be zero or more.");
        }

        kept = end == EntryTerms.Never && sliding == 0 ? 0 : long.Min(kept, CacheLimits.KeptTicksMax);
        if (kept == 0 && options.Tags is not { Count: > 0 })
        {
            return new EntryTerms(now, end, sliding, rank);
        }

        ulong[] tags = TagHash.Of(options.Tags);
        long stamp = tags.Length == 0 ? parts.Tags.Now : parts.Tags.Begin();
        return new EntryTerms(now, Later(end, kept), sliding == 0 ? 0 : Later(sliding, kept), rank, new EntryNote(kept, NoteKind.Value, stamp, tags));
    }

    /// <summary>A sum of times that ends at never.</summary>
    internal static long Later(long ticks, long span) => span > EntryTerms.Never - ticks ? EntryTerms.Never : ticks + span;

    [DoesNotReturn]
    private static void ThrowPriority(PileCachePriority priority) =>
        Throw.Argument("options", priority, $"PileEntryOptions.{nameof(PileEntryOptions.Priority)} must be Low, Normal, High or NeverRemove.");

    private static void RefuseUnlessPositive(TimeSpan? span, string name)
    {
        if (span <= TimeSpan.Zero)
        {
            Throw.Argument("options", span, $"PileEntryOptions.{name} must be more than zero. An entry that is not to be kept is not stored, or removed.");
        }
    }
}
