// How piles of a host are called: by their key where they have one. The key is also the name of the options.
// It knows no pile.
using Microsoft.Extensions.Options;

namespace Pile.Hosting;

/// <summary>Names of piles.</summary>
internal static class PileNames
{
    /// <summary>The name of the options of the pile with a key, or without one.</summary>
    internal static string OptionsName(string? key) => key ?? Options.DefaultName;

    /// <summary>The pile in a sentence.</summary>
    internal static string Describe(string? key, bool capital = false) => (capital ? "The pile" : "the pile") + (key is null ? "" : $" '{key}'");
}
