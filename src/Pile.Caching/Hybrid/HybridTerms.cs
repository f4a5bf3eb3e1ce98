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
        Expiration = options?.Expiration ?? defaults.Expiration ?? CachingLimits.HybridExpiration;
        TimeSpan local = Has(HybridCacheEntryFlags.DisableLocalCacheWrite) ? Expiration : options?.LocalCacheExpiration ?? defaults.LocalCacheExpiration ?? Expiration;
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

    /// <summary>Whether the entry would have ended when it is stored.</summary>
    internal bool HaveEnded => LocalExpiration <= TimeSpan.Zero;

    /// <summary>Whether a flag is set.</summary>
    internal bool Has(HybridCacheEntryFlags flag) => (Flags & flag) == flag;

    /// <summary>The terms of the entry in this cache.</summary>
    /// <param name="left">What is left of its life everywhere.</param>
    /// <param name="tags">Its tags.</param>
    internal PileEntryOptions Entry(TimeSpan left, string[] tags) => Has(HybridCacheEntryFlags.DisableLocalCacheWrite)
        ? new PileEntryOptions { AbsoluteExpiration = DateTimeOffset.MinValue, Tags = tags }
        : new PileEntryOptions { TimeToLive = left < LocalExpiration ? left : LocalExpiration, Tags = tags };

    /// <summary>These terms, of a value that is yet to be made.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It would have ended when it is stored.</exception>
    internal HybridTerms OfAnEntry() => HaveEnded ? throw Ended() : this;

    private ArgumentOutOfRangeException Ended()
    {
        string name = Expiration <= TimeSpan.Zero ? nameof(HybridCacheEntryOptions.Expiration) : nameof(HybridCacheEntryOptions.LocalCacheExpiration);
        return new ArgumentOutOfRangeException(name, LocalExpiration, $"{nameof(HybridCacheEntryOptions)}.{name} must be more than zero.");
    }
}
