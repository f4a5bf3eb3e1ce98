// What the options of everything that a host opens have in common: where it lives.
// The rest is each kind's own.
namespace Pile.Hosting;

/// <summary>Options of what a host opens. Exactly one of <see cref="Directory"/> and <see cref="InMemory"/> is given.</summary>
internal interface IHostedOptions : IConfiguredOptions
{
    /// <summary>The directory, or null for memory.</summary>
    string? Directory { get; set; }

    /// <summary>Whether it is in memory and ends with the host.</summary>
    bool InMemory { get; set; }
}
