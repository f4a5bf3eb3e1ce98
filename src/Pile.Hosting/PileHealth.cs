// Registration of a pile's health check. What it finds is PileHealthCheck's.
// It looks at nothing itself, and nothing is looked at before a report is asked for.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

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
    /// <exception cref="ArgumentOutOfRangeException"><see cref="PileHealthOptions.NearLimit"/> is not above 0 and up to 1.</exception>
    /// <remarks>Unhealthy, or the check's failure status: not open, disposed, a failed write (<see cref="PileStatistics.Failure"/>), a damaged table. Degraded:
    /// nearly full, the device low, corrupted objects, quarantined segments; not warm where that is asked. It takes microseconds.</remarks>
    public static IHealthChecksBuilder AddPile(
        this IHealthChecksBuilder builder, string? key = null, Action<PileHealthOptions>? configure = null, string? name = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var options = new PileHealthOptions();
        configure?.Invoke(options);
        if (!(options.NearLimit is > 0 and <= 1))
        {
            throw new ArgumentOutOfRangeException(nameof(configure), options.NearLimit, $"{nameof(PileHealthOptions)}.{nameof(options.NearLimit)} must be above 0 and up to 1.");
        }

        return builder.Add(new HealthCheckRegistration(
            name ?? (key is null ? "pile" : $"pile:{key}"),
            provider => new PileHealthCheck(key, PileServices.HostedPileOf(provider, key), options),
            failureStatus: null,
            tags));
    }
}
