// What all options have in common that SettingReader reads: a place for what could not be read.
// Whoever validates them tells it.
using System.Collections.Generic;

namespace Pile.Hosting;

/// <summary>Options that can be read from a section of the configuration.</summary>
internal interface IConfiguredOptions
{
    /// <summary>What could not be read from the configuration, each with its path.</summary>
    List<string> Problems { get; }
}
