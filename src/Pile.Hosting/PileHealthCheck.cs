// Judges a pile by its statistics. It stores nothing and reads no objects: what a deeper look would find is Verify's and Scrub's.
// The worst finding gives the status; all of them are in the description.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Pile.Hosting;

/// <summary>The health check of one pile, or of what stands on one.</summary>
/// <param name="name">What it is, at the beginning of a sentence.</param>
/// <param name="find">Finds it; null when it is not open.</param>
/// <param name="flushInterval">How often it flushes by itself, if it does.</param>
/// <param name="options">What is degraded.</param>
/// <param name="trend">What the checks before have seen.</param>
/// <param name="time">The clock.</param>
internal sealed class PileHealthCheck(
    string name, Func<HealthSubject?> find, TimeSpan flushInterval, PileHealthOptions options, HealthTrend trend, TimeProvider time) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check(context.Registration.FailureStatus));

    private HealthCheckResult Check(HealthStatus failureStatus)
    {
        try
        {
            return find() is { } subject
                ? Judge(subject, subject.Pile.GetStatistics(), failureStatus)
                : new HealthCheckResult(failureStatus, $"{name} is not open yet.");
        }
        catch (ObjectDisposedException disposed)
        {
            return new HealthCheckResult(failureStatus, $"{name} was disposed.", disposed);
        }
    }

    private HealthCheckResult Judge(HealthSubject subject, PileStatistics statistics, HealthStatus failureStatus)
    {
        ObjectPile pile = subject.Pile;
        bool isInFiles = pile.Promise() != PilePromise.Memory;
        bool flushes = pile.Promise() == PilePromise.PowerSafe;
        List<string> failed = [];
        List<string> degraded = [];
        if (statistics.Failure is { } failure)
        {
            failed.Add(failure.Message);
        }

        if (statistics.TableDamages > 0)
        {
            failed.Add(Text($"{statistics.TableDamages} entries of its table are damaged; the next open builds it anew, and is refused where a record is damaged (pile verify tells)."));
        }

        if (statistics.CorruptedObjects > 0)
        {
            failed.Add(Text($"{statistics.CorruptedObjects} objects are corrupted."));
        }

        if (subject.DamagedEntries > 0)
        {
            failed.Add(Text($"{subject.DamagedEntries} entries were found to be damaged; they are misses."));
        }

        long heldBytes = statistics.LiveBytes + statistics.LargeBytes + statistics.TableBytes - subject.EvictableBytes;
        if (heldBytes >= statistics.MemoryLimitBytes * options.NearLimit)
        {
            degraded.Add(Text($"It is nearly full: {heldBytes} of {statistics.MemoryLimitBytes} bytes can't be freed by cleaning."));
        }

        if (statistics.IsDiskLow)
        {
            degraded.Add(Text($"It can't grow: {statistics.DiskFreeBytes} bytes are free on its device, and its reserve must stay free."));
        }

        if (statistics.QuarantinedSegments > 0)
        {
            degraded.Add(Text($"{statistics.QuarantinedSegments} segments were taken out of use: Verify says why."));
        }

        HealthTrend.Finding found = trend.Look(time.GetTimestamp(), time, statistics, flushes ? pile.DurableThrough() : 0);
        if (found.RoomWaitsPerSecond >= options.RoomWaitsPerSecond)
        {
            degraded.Add(Text($"The cleaner is behind: {found.RoomWaitsPerSecond:N0} calls a second made room themselves or waited for it since the check before."));
        }

        if (flushes && found.Unflushed - flushInterval > options.FlushLag)
        {
            degraded.Add(Text($"Its flush is late: for {found.Unflushed.TotalSeconds:N0} s at least there is something stored that no flush has covered."));
        }

        if (options.WantsWarm && isInFiles && !pile.IsWarm())
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
        string description = status == HealthStatus.Healthy ? $"{name} is in order." : $"{name}: {string.Join(" ", [.. failed, .. degraded])}";
        return new HealthCheckResult(status, description, statistics.Failure, data);
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
