// Registration of clients, and of what stands on them: each client with options of its own, judged when the host starts. A client connects
// with its first call, so that a host starts whether its server is there or not.
using System;
using System.Linq;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Pile.Client.Calls;
using Pile.Hosting;

namespace Pile.Client;

/// <summary>Adds clients of cache servers to services.</summary>
/// <remarks>A client is one for all; the services dispose it. Where its clock is the system's, the <see cref="TimeProvider"/> of the services counts.</remarks>
public static class PileClientServices
{
    /// <summary>Adds a client with options from the section <c>PileClient</c> of the configuration.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="InvalidOperationException">A client without a key was added before.</exception>
    public static IHostApplicationBuilder AddPileClient(this IHostApplicationBuilder builder, Action<PileClientOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        _ = Add(builder.Services, key: null, builder.Configuration.GetSection(ClientSettings.Section), configure);
        return builder;
    }

    /// <summary>Adds a client with a key, and options from the section <c>PileConnections:</c><paramref name="key"/> of the configuration.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="key">The key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="InvalidOperationException">A client with this key was added before.</exception>
    public static IHostApplicationBuilder AddKeyedPileClient(this IHostApplicationBuilder builder, string key, Action<PileClientOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        _ = Add(builder.Services, key, builder.Configuration.GetSection(ClientSettings.KeyedSection).GetSection(key), configure);
        return builder;
    }

    /// <summary>Adds a client.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Says where the server is, and the rest.</param>
    /// <exception cref="InvalidOperationException">A client without a key was added before.</exception>
    public static IServiceCollection AddPileClient(this IServiceCollection services, Action<PileClientOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return Add(services, key: null, section: null, configure);
    }

    /// <summary>Adds a client with a key.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">The key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Says where the server is, and the rest.</param>
    /// <exception cref="InvalidOperationException">A client with this key was added before.</exception>
    public static IServiceCollection AddKeyedPileClient(this IServiceCollection services, string key, Action<PileClientOptions> configure)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        ArgumentNullException.ThrowIfNull(configure);
        return Add(services, key, section: null, configure);
    }

    /// <summary>Adds <see cref="IDistributedCache"/> on a client that was added; HybridCache takes it as what stands behind it.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">The client's key, or null for the client without one. With a key the cache has it too.</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddPileClientDistributedCache(this IServiceCollection services, string? key = null, Action<PileClientDistributedCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddKeyedSingleton<IDistributedCache>(key, (provider, _) =>
        {
            var options = new PileClientDistributedCacheOptions();
            configure?.Invoke(options);
            return new PileClientDistributedCache(Of(provider, key), options);
        });
    }

    /// <summary>Adds a <see cref="PileNearCache"/> on a client that was added.</summary>
    /// <param name="services">The services; they dispose it before the client.</param>
    /// <param name="key">The client's key, or null for the client without one. With a key the near cache has it too.</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddPileNearCache(this IServiceCollection services, string? key = null, Action<PileNearOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddKeyedSingleton(key, (provider, _) =>
        {
            var options = new PileNearOptions();
            configure?.Invoke(options);
            return new PileNearCache(Of(provider, key), options);
        });
    }

    /// <summary>A client that was added.</summary>
    internal static PileClient Of(IServiceProvider provider, string? key) => key is null ? provider.GetRequiredService<PileClient>() : provider.GetRequiredKeyedService<PileClient>(key);

    private static IServiceCollection Add(IServiceCollection services, string? key, IConfigurationSection? section, Action<PileClientOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(service => service.ServiceType == typeof(PileClient) && Equals(service.ServiceKey, key)))
        {
            throw new InvalidOperationException($"{PileNames.Describe(key, capital: true, "client")} was added already. Give each further client a key of its own: {nameof(AddKeyedPileClient)}.");
        }

        string name = PileNames.OptionsName(key);
        OptionsBuilder<PileClientOptions> options = services.AddOptions<PileClientOptions>(name);
        if (section is not null)
        {
            _ = options.Configure(target => SettingReader.Read(section, target, "client", ClientSettings.All));
        }

        if (configure is not null)
        {
            _ = options.Configure(configure);
        }

        _ = options.ValidateOnStart();
        _ = services.AddSingleton<IValidateOptions<PileClientOptions>>(new OptionsValidator(name, section?.Path));
        return services.AddKeyedSingleton(key, (provider, _) =>
        {
            PileClientOptions asked = provider.GetRequiredService<IOptionsMonitor<PileClientOptions>>().Get(name);
            if (ReferenceEquals(asked.TimeProvider, TimeProvider.System) && provider.GetService<TimeProvider>() is { } time)
            {
                asked.TimeProvider = time;
            }

            return new PileClient(asked);
        });
    }
}
