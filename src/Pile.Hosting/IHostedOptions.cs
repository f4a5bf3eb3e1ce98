// What the options of everything that a host opens have in common: where it lives, and what could not be read.
// The rest is each kind's own.
using System.Collections.Generic;

namespace Pile.Hosting;

/// <summary>Options of what a host opens. Exactly one of <see cref="Directory"/> and <see cref="InMemory"/> is given.</summary>
internal interface IHostedOptions
{
    /// <summary>The directory, or null for memory.</summary>
    string? Directory { get; set; }

    /// <summary>Whether it is in memory and ends with the host.</summary>
    bool InMemory { get; set; }

    /// <summary>What could not be read from the configuration, each with its path.</summary>
    List<string> Problems { get; }
}
