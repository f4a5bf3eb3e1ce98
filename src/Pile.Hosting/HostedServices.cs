// Registration of what a host opens, whatever kind it is: named options with their validation, its services, and its life.
// The public forms, one set for each kind, come here.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Pile.Hosting;

/// <summary>Adds things that the host opens and closes to a service collection.</summary>
internal static class HostedServices
{
    /// <summary>Adds one.</summary>
    /// <exception cref="InvalidOperationException">One of that kind and key was added before.</exception>
    internal static IServiceCollection Add<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
        IServiceCollection services, HostedKind<TOptions> kind, string? key, IConfigurationSection? section, Action<TOptions>? configure)
        where TOptions : class, IHostedOptions
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(service => service.ServiceType == kind.Place && Equals(service.ServiceKey, key)))
        {
            throw new InvalidOperationException($"{PileNames.Describe(key, capital: true, kind.Noun)} was added already. Give each further {kind.Noun} a key of its own: {kind.AddKeyed}.");
        }

        OptionsBuilder<TOptions> options = services.AddOptions<TOptions>(PileNames.OptionsName(key));
        if (section is not null)
        {
            _ = options.Configure(target => SettingReader.Read(section, target, kind.Noun, kind.Settings));
        }

        if (configure is not null)
        {
            _ = options.Configure(configure);
        }

        _ = options.ValidateOnStart();
        _ = services.AddSingleton<IValidateOptions<TOptions>>(new HostedOptionsValidator<TOptions>(kind, key, section));
        kind.AddServices(services, key);
        return services.AddSingleton<IHostedService>(provider =>
        {
            ILoggerFactory loggers = provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
            ILogger logger = loggers.CreateLogger(PileLog.Category);
            return new PileLifecycle(
                PileNames.Describe(key, capital: false, kind.Noun),
                () =>
                {
                    TOptions asked = provider.GetRequiredService<IOptionsMonitor<TOptions>>().Get(PileNames.OptionsName(key));
                    return new HostedPlan(asked.Directory, kind.PileOptionsOf(asked), pile => kind.Begin(provider, key, pile, asked, logger));
                },
                provider.GetService<IHostEnvironment>(),
                loggers,
                provider.GetService<TimeProvider>() ?? TimeProvider.System);
        });
    }

    /// <summary>Adds the services by which a thing is asked for: its place at any time, itself once it is open. Without a key where that is null.</summary>
    internal static void AddPlace<TPlace, TThing>(IServiceCollection services, string? key, TPlace place, Func<TPlace, TThing> thing)
        where TPlace : class
        where TThing : class
    {
        _ = services.AddKeyedSingleton(key, place);
        _ = services.AddKeyedSingleton(key, (_, _) => thing(place));
    }

    /// <summary>The place of a thing, by its key or without one.</summary>
    internal static TPlace PlaceOf<TPlace>(IServiceProvider provider, string? key)
        where TPlace : notnull => key is null ? provider.GetRequiredService<TPlace>() : provider.GetRequiredKeyedService<TPlace>(key);
}
