// How piles of a host, and what stands on them, are called: by their key where they have one. The key is also the name of the options.
// It knows no pile.
using Microsoft.Extensions.Options;

namespace Pile.Hosting;

/// <summary>Names of piles and what stands on them.</summary>
internal static class PileNames
{
    /// <summary>The name of the options of the thing with a key, or without one.</summary>
    internal static string OptionsName(string? key) => key ?? Options.DefaultName;

    /// <summary>The thing in a sentence.</summary>
    internal static string Describe(string? key, bool capital = false, string noun = "pile") =>
        (capital ? "The " : "the ") + noun + (key is null ? "" : $" '{key}'");

    /// <summary>What a thing says that is asked for before the host has started.</summary>
    /// <param name="key">Its key, or null.</param>
    /// <param name="noun">What it is.</param>
    /// <param name="place">The service that can be taken before.</param>
    /// <param name="property">Where it has the thing.</param>
    internal static string NotOpen(string? key, string noun, string place, string property) =>
        $"{Describe(key, capital: true, noun)} is not open yet: the host opens it when it starts, before servers and workers start. A hosted service is made earlier: let it take {place} in its constructor, and read {place}.{property} in StartAsync or ExecuteAsync. Code between Build and Run awaits the host's StartAsync first, and WaitForShutdownAsync in the place of Run.";
}
