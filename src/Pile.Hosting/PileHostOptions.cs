// What a host opens a pile with: where it lives, and the options of the pile itself. Read once, when the host starts.
// How long a close may take is not here: the host's own shutdown time says so.
using System.Collections.Generic;

namespace Pile.Hosting;

/// <summary>Options of a pile that a host opens and closes. Exactly one of <see cref="Directory"/> and <see cref="InMemory"/> is given.</summary>
/// <remarks>Named options: the name is the pile's key, or the default name.</remarks>
public sealed class PileHostOptions : IHostedOptions
{
    /// <summary>The directory of a pile in files; where it is relative, to the host's content root. Null for a pile in memory.</summary>
    public string? Directory { get; set; }

    /// <summary>Whether the pile is in memory and ends with the host. It has to be said, so that a setting that is missing never makes a
    /// pile that forgets.</summary>
    public bool InMemory { get; set; }

    /// <summary>The options of the pile; change some by <c>options.Pile = options.Pile with { ... }</c>.
    /// <see cref="PileOptions.DisposeWait"/> has no effect: the host's shutdown time takes its place.</summary>
    public PileOptions Pile { get; set; } = new();

    /// <summary>What could not be read from the configuration, each with its path.</summary>
    internal List<string> Problems { get; } = [];

    List<string> IConfiguredOptions.Problems => Problems;
}
