// Registration on a host builder, with the section of the configuration by convention: "Pile" for the pile without a key,
// "Piles:<key>" for the others. It is PileServices with that section, and nothing more.
using System;
using Microsoft.Extensions.Hosting;

namespace Pile.Hosting;

/// <summary>Adds piles to a host that is being built.</summary>
public static class PileHostBuilders
{
    /// <summary>Adds a pile with options from the section <c>Pile</c> of the configuration.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A pile without a key was added before.</exception>
    public static IHostApplicationBuilder AddPile(this IHostApplicationBuilder builder, Action<PileHostOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        _ = builder.Services.AddPile(builder.Configuration.GetSection("Pile"), configure);
        return builder;
    }

    /// <summary>Adds a pile with a key, with options from the section <c>Piles:</c><paramref name="key"/> of the configuration.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="key">Its key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A pile with this key was added before.</exception>
    public static IHostApplicationBuilder AddKeyedPile(this IHostApplicationBuilder builder, string key, Action<PileHostOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        _ = builder.Services.AddKeyedPile(key, builder.Configuration.GetSection("Piles").GetSection(key), configure);
        return builder;
    }
}
