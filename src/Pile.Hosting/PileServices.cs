// Registration of piles as services: each with options of its own, opened and closed by the host. The forms on a host builder,
// which know the section of the configuration by themselves, are PileHostBuilders.
using System;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Pile.Hosting;

/// <summary>Adds piles to a service collection.</summary>
/// <remarks>A pile is opened when the host starts, before servers and workers do, and closed after all of them have stopped. From then on
/// <see cref="ObjectPile"/> can be resolved, by constructor or otherwise; <see cref="HostedPile"/> always.</remarks>
public static class PileServices
{
    /// <summary>Adds a pile.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Says where the pile lives, and the rest of its options.</param>
    /// <exception cref="InvalidOperationException">A pile without a key was added before.</exception>
    public static IServiceCollection AddPile(this IServiceCollection services, Action<PileHostOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return HostedServices.Add(services, PileHosted.Instance, key: null, section: null, configure);
    }

    /// <summary>Adds a pile with options from configuration.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The section whose keys are the pile's settings; a key that is none is refused when the host starts.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A pile without a key was added before.</exception>
    public static IServiceCollection AddPile(this IServiceCollection services, IConfigurationSection section, Action<PileHostOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return HostedServices.Add(services, PileHosted.Instance, key: null, section, configure);
    }

    /// <summary>Adds a pile with a key, beside others.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">Its key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Says where the pile lives, and the rest of its options.</param>
    /// <exception cref="InvalidOperationException">A pile with this key was added before.</exception>
    public static IServiceCollection AddKeyedPile(this IServiceCollection services, string key, Action<PileHostOptions> configure)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        ArgumentNullException.ThrowIfNull(configure);
        return HostedServices.Add(services, PileHosted.Instance, key, section: null, configure);
    }

    /// <summary>Adds a pile with a key and options from configuration.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">Its key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="section">The section whose keys are the pile's settings; a key that is none is refused when the host starts.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A pile with this key was added before.</exception>
    public static IServiceCollection AddKeyedPile(
        this IServiceCollection services, string key, IConfigurationSection section, Action<PileHostOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        ArgumentNullException.ThrowIfNull(section);
        return HostedServices.Add(services, PileHosted.Instance, key, section, configure);
    }
}
