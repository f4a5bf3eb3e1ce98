// Judges a pile by its statistics. It stores nothing and reads no objects: what a deeper look would find is Verify's and Scrub's.
// The worst finding gives the status; all of them are in the description.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Pile.Hosting;

/// <summary>The health check of one pile.</summary>
/// <param name="key">The pile's key, or null.</param>
/// <param name="place">Where it stands.</param>
/// <param name="options">What is degraded.</param>
internal sealed class PileHealthCheck(string? key, HostedPile place, PileHealthOptions options) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check(context.Registration.FailureStatus));

    private HealthCheckResult Check(HealthStatus failureStatus)
    {
        string name = PileNames.Describe(key, capital: true);
        if (!place.TryGet(out ObjectPile? pile))
        {
            return new HealthCheckResult(failureStatus, $"{name} is not open yet.");
        }

        try
        {
            return Judge(name, pile, pile.GetStatistics(), failureStatus);
        }
        catch (ObjectDisposedException disposed)
        {
            return new HealthCheckResult(failureStatus, $"{name} was disposed.", disposed);
        }
    }

    private HealthCheckResult Judge(string name, ObjectPile pile, PileStatistics statistics, HealthStatus failureStatus)
    {
        List<string> failed = [];
        List<string> degraded = [];
        if (statistics.Failure is { } failure)
        {
            failed.Add(failure.Message);
        }

        if (statistics.TableDamages > 0)
        {
            failed.Add(Text($"{statistics.TableDamages} entries of its table are damaged; the next open builds it anew."));
        }

        long heldBytes = statistics.LiveBytes + statistics.LargeBytes + statistics.TableBytes;
        if (heldBytes >= statistics.MemoryLimitBytes * options.NearLimit)
        {
            degraded.Add(Text($"It is nearly full: {heldBytes} of {statistics.MemoryLimitBytes} bytes can't be freed by cleaning."));
        }

        if (statistics.IsDiskLow)
        {
            degraded.Add(Text($"It can't grow: {statistics.DiskFreeBytes} bytes are free on its device, and its reserve must stay free."));
        }

        if (statistics.CorruptedObjects > 0)
        {
            degraded.Add(Text($"{statistics.CorruptedObjects} objects are corrupted."));
        }

        if (statistics.QuarantinedSegments > 0)
        {
            degraded.Add(Text($"{statistics.QuarantinedSegments} segments were taken out of use: Verify says why."));
        }

        if (options.WantsWarm && pile.Promise() != PilePromise.Memory && !pile.IsWarm())
        {
            degraded.Add("It is not warm yet.");
        }

        Dictionary<string, object> data = new(StringComparer.Ordinal)
        {
            ["objects"] = statistics.Objects,
            ["heldBytes"] = heldBytes,
            ["usedBytes"] = statistics.UsedBytes,
            ["limitBytes"] = statistics.MemoryLimitBytes,
            ["corruptedObjects"] = statistics.CorruptedObjects,
        };
        if (statistics.DiskFreeBytes is { } freeBytes)
        {
            data["diskFreeBytes"] = freeBytes;
        }

        HealthStatus status = failed.Count > 0 ? failureStatus : degraded.Count > 0 ? HealthStatus.Degraded : HealthStatus.Healthy;
        string found = status == HealthStatus.Healthy ? $"{name} is in order." : $"{name}: {string.Join(" ", [.. failed, .. degraded])}";
        return new HealthCheckResult(status, found, statistics.Failure, data);
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
