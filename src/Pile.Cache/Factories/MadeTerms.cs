// The terms of values that factories made, and of what is stored beside them in their tables: kept past their end as long as fail-safe or stale
// while revalidate may serve them, their end spread by jitter, their stamp that of the beginning.
using System;
using System.Security.Cryptography;
using Pile.Cache.Engine;
using Pile.Cache.Entries;

namespace Pile.Cache.Factories;

/// <summary>Terms of made values.</summary>
internal static class MadeTerms
{
    /// <summary>An entry's terms, before its end is spread.</summary>
    internal static EntryTerms Of(TableBase table, PileEntryOptions entry, PileFactoryOptions? options) =>
        EntryTermsOf.Options(table, entry.KeptPastEnd is null && options is not null ? entry with { KeptPastEnd = options.Kept } : entry);

    /// <summary>The same, its end with jitter, its stamp that of when it began to be made.</summary>
    internal static EntryTerms At(this in EntryTerms terms, long stamp, PileFactoryOptions? options)
    {
        long jitter = terms.ExpiresTicks == EntryTerms.Never || options is null ? 0 : Jitter(options);
        return terms with { ExpiresTicks = EntryTermsOf.Later(terms.ExpiresTicks, jitter), Note = terms.Note is null or { Stamp: EntryNote.NoRoom } ? terms.Note : terms.Note with { Stamp = stamp } };
    }

    private static long Jitter(PileFactoryOptions options)
    {
        if (options.Jitter == TimeSpan.Zero)
        {
            return 0;
        }

        const int Parts = 1 << 30;
        double part = options.JitterSource is { } source ? source() : RandomNumberGenerator.GetInt32(Parts) / (double)Parts;
        return (long)(options.Jitter.Ticks * double.Clamp(part, 0, 1));
    }
}
