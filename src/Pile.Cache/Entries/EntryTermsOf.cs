// From what a caller says of an entry, and the table's defaults, to its terms.
// Ends in the past are allowed: such an entry is not stored.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Cache.Engine;
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
        bool isPlain = options.AbsoluteExpiration is null && options.TimeToLive is null && options.SlidingExpiration is null;
        return isPlain && table.Options.DefaultTimeToLive is null
            ? new EntryTerms(now, EntryTerms.Never, 0, (int)(options.Priority ?? table.Options.DefaultPriority))
            : Timed(table.Options, options, now);
    }

    private static EntryTerms Timed(PileTableOptions table, in PileEntryOptions options, long now)
    {
        bool hasEnd = options.AbsoluteExpiration is not null || options.SlidingExpiration is not null;
        TimeSpan? life = options.TimeToLive ?? (hasEnd ? null : table.DefaultTimeToLive);
        RefuseUnlessPositive(life, nameof(PileEntryOptions.TimeToLive));
        RefuseUnlessPositive(options.SlidingExpiration, nameof(PileEntryOptions.SlidingExpiration));
        long end = options.AbsoluteExpiration?.UtcTicks ?? EntryTerms.Never;
        if (life is { } span)
        {
            end = long.Min(end, span.Ticks > EntryTerms.Never - now ? EntryTerms.Never : now + span.Ticks);
        }

        return new EntryTerms(now, end, options.SlidingExpiration?.Ticks ?? 0, (int)(options.Priority ?? table.DefaultPriority));
    }

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
