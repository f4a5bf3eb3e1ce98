// What a host opens a cache with: where it lives, and the options of the cache itself. Read once, when the host starts.
// How long a close may take is not here: the host's own shutdown time says so.
using System.Collections.Generic;
using Pile.Cache;
using Pile.Hosting;

namespace Pile.Caching;

/// <summary>Options of a cache that a host opens and closes. Exactly one of <see cref="Directory"/> and <see cref="InMemory"/> is given.</summary>
/// <remarks>Named options: the name is the cache's key, or the default name.</remarks>
public sealed class PileCacheHostOptions : IHostedOptions
{
    /// <summary>The directory of a cache in files; where it is relative, to the host's content root. Null for a cache in memory.</summary>
    public string? Directory { get; set; }

    /// <summary>Whether the cache is in memory and starts empty with each start of the host. It has to be said, so that a setting that is
    /// missing never makes a cache that forgets.</summary>
    public bool InMemory { get; set; }

    /// <summary>The options of the cache; change some by <c>options.Cache = options.Cache with { ... }</c>. Where its
    /// <see cref="PileCacheOptions.TimeProvider"/> is the system's, the <see cref="System.TimeProvider"/> of the services counts.</summary>
    public PileCacheOptions Cache { get; set; } = new();

    /// <summary>What could not be read from the configuration, each with its path.</summary>
    internal List<string> Problems { get; } = [];

    List<string> IConfiguredOptions.Problems => Problems;
}
