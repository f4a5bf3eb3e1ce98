// Registration of a pile's health check. What it finds is PileHealthCheck's.
// It looks at nothing itself, and nothing is looked at before a report is asked for.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Pile.Hosting;

/// <summary>Adds health checks of piles.</summary>
public static class PileHealth
{
    /// <summary>Adds a health check of a pile that was added with AddPile or AddKeyedPile.</summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="key">The pile's key, or null for the pile without one.</param>
    /// <param name="configure">Says what is degraded, or null.</param>
    /// <param name="name">The check's name; null for <c>pile</c>, or <c>pile:key</c>.</param>
    /// <param name="tags">Tags to choose checks by, or null.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <remarks>Unhealthy, or the check's failure status: not open, disposed, a failed write (<see cref="PileStatistics.Failure"/>), a damaged table,
    /// corrupted objects. Degraded: nearly full, the device low, quarantined segments, calls that make room themselves, a flush that is late;
    /// not warm where that is asked. It takes microseconds.</remarks>
    public static IHealthChecksBuilder AddPile(
        this IHealthChecksBuilder builder, string? key = null, Action<PileHealthOptions>? configure = null, string? name = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return Add(builder, PileHosted.Instance, key, configure, name ?? (key is null ? "pile" : $"pile:{key}"), tags, static (provider, key) =>
            PileHosted.PlaceOf(provider, key).TryGet(out ObjectPile? pile) ? new HealthSubject(pile, EvictableBytes: 0, DamagedEntries: 0) : null);
    }

    /// <summary>Adds a check of what a host opens.</summary>
    internal static IHealthChecksBuilder Add<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
        IHealthChecksBuilder builder,
        HostedKind<TOptions> kind,
        string? key,
        Action<PileHealthOptions>? configure,
        string name,
        IEnumerable<string>? tags,
        Func<IServiceProvider, string?, HealthSubject?> find)
        where TOptions : class, IHostedOptions
    {
        var options = new PileHealthOptions();
        configure?.Invoke(options);
        options.Validate(nameof(configure));
        var trend = new HealthTrend();
        return builder.Add(new HealthCheckRegistration(
            name,
            provider => new PileHealthCheck(
                PileNames.Describe(key, capital: true, kind.Noun),
                () => find(provider, key),
                kind.PileOptionsOf(provider.GetRequiredService<IOptionsMonitor<TOptions>>().Get(PileNames.OptionsName(key))).FlushInterval,
                options,
                trend,
                provider.GetService<TimeProvider>() ?? TimeProvider.System),
            failureStatus: null,
            tags));
    }
}
