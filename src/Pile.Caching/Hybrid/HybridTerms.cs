// What a call says of an entry, with the defaults put in.
// The tags are copied: the caller's list may change while the factory runs.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Cache.Tags;

namespace Pile.Caching.Hybrid;

/// <summary>Terms of one call.</summary>
internal readonly struct HybridTerms
{
    internal HybridTerms(HybridCacheEntryOptions? options, HybridCacheEntryOptions defaults, IEnumerable<string>? tags)
    {
        Flags = options?.Flags ?? defaults.Flags ?? HybridCacheEntryFlags.None;
        Expiration = Positive(options?.Expiration ?? defaults.Expiration ?? CachingLimits.HybridExpiration, nameof(HybridCacheEntryOptions.Expiration));
        TimeSpan local = Positive(options?.LocalCacheExpiration ?? defaults.LocalCacheExpiration ?? Expiration, nameof(HybridCacheEntryOptions.LocalCacheExpiration));
        LocalExpiration = local < Expiration ? local : Expiration;
        Tags = tags is null ? [] : [.. tags];

        // Refused before anything is asked, made or written.
        _ = TagHash.Of(Tags);
    }

    internal HybridCacheEntryFlags Flags { get; }

    /// <summary>How long the entry lives, everywhere.</summary>
    internal TimeSpan Expiration { get; }

    /// <summary>How long it lives in this cache.</summary>
    internal TimeSpan LocalExpiration { get; }

    internal string[] Tags { get; }

    /// <summary>Whether a flag is set.</summary>
    internal bool Has(HybridCacheEntryFlags flag) => (Flags & flag) == flag;

    /// <summary>The terms of the entry in this cache.</summary>
    /// <param name="left">What is left of its life everywhere.</param>
    /// <param name="tags">Its tags.</param>
    internal PileEntryOptions Entry(TimeSpan left, string[] tags) => Has(HybridCacheEntryFlags.DisableLocalCacheWrite)
        ? new PileEntryOptions { AbsoluteExpiration = DateTimeOffset.MinValue, Tags = tags }
        : new PileEntryOptions { TimeToLive = left < LocalExpiration ? left : LocalExpiration, Tags = tags };

    private static TimeSpan Positive(TimeSpan span, string name) => span > TimeSpan.Zero
        ? span
        : throw new ArgumentOutOfRangeException(nameof(span), span, $"HybridCacheEntryOptions.{name} must be more than zero.");
}
