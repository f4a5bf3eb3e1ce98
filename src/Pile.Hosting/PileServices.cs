// Registration of piles as services: each with options of its own, opened and closed by the host. The forms on a host builder,
// which know the section of the configuration by themselves, are PileHostBuilders.
using System;
using System.Linq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

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
        return Add(services, key: null, section: null, configure);
    }

    /// <summary>Adds a pile with options from configuration.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The section whose keys are the pile's settings; a key that is none is refused when the host starts.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A pile without a key was added before.</exception>
    public static IServiceCollection AddPile(this IServiceCollection services, IConfigurationSection section, Action<PileHostOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, key: null, section, configure);
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
        return Add(services, key, section: null, configure);
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
        return Add(services, key, section, configure);
    }

    private static IServiceCollection Add(IServiceCollection services, string? key, IConfigurationSection? section, Action<PileHostOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(service => service.ServiceType == typeof(HostedPile) && Equals(service.ServiceKey, key)))
        {
            throw new InvalidOperationException($"{PileNames.Describe(key, capital: true)} was added already. Give each further pile a key of its own: {nameof(AddKeyedPile)}.");
        }

        OptionsBuilder<PileHostOptions> options = services.AddOptions<PileHostOptions>(PileNames.OptionsName(key));
        if (section is not null)
        {
            _ = options.Configure(target => PileSettings.Read(section, target));
        }

        if (configure is not null)
        {
            _ = options.Configure(configure);
        }

        _ = options.ValidateOnStart();
        _ = services.AddSingleton<IValidateOptions<PileHostOptions>>(new PileOptionsValidator(key, section));
        if (key is null)
        {
            _ = services.AddSingleton(new HostedPile(key: null));
            _ = services.AddSingleton(static provider => provider.GetRequiredService<HostedPile>().Pile);
        }
        else
        {
            _ = services.AddKeyedSingleton(key, new HostedPile(key));
            _ = services.AddKeyedSingleton(key, static (provider, key) => provider.GetRequiredKeyedService<HostedPile>(key).Pile);
        }

        return services.AddSingleton<IHostedService>(provider => new PileLifecycle(
            key,
            HostedPileOf(provider, key),
            provider.GetRequiredService<IOptionsMonitor<PileHostOptions>>(),
            provider.GetService<IHostEnvironment>(),
            provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance,
            provider.GetService<TimeProvider>() ?? TimeProvider.System));
    }

    /// <summary>The place of a pile, by its key or without one.</summary>
    internal static HostedPile HostedPileOf(IServiceProvider provider, string? key) =>
        key is null ? provider.GetRequiredService<HostedPile>() : provider.GetRequiredKeyedService<HostedPile>(key);
}
