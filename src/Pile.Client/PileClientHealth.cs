// A health check of a client: whether its server answers, and says that it serves.
// One call of the health service, which needs no access.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Pile.Client;

/// <summary>Adds health checks of clients.</summary>
public static class PileClientHealth
{
    /// <summary>Adds a health check of a client that was added with AddPileClient or AddKeyedPileClient.</summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="key">The client's key, or null for the client without one.</param>
    /// <param name="name">The check's name; null for <c>pile-client</c>, or <c>pile-client:key</c>.</param>
    /// <param name="tags">Tags to choose checks by, or null.</param>
    /// <remarks>Unhealthy, or the check's failure status, where the server can't be reached within the client's deadline or says that it does not
    /// serve, as one does that takes no writes any more. It asks the server each time.</remarks>
    public static IHealthChecksBuilder AddPileClient(this IHealthChecksBuilder builder, string? key = null, string? name = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(
            name ?? (key is null ? "pile-client" : $"pile-client:{key}"), provider => new PingCheck(PileClientServices.Of(provider, key)), failureStatus: null, tags));
    }

    private sealed class PingCheck(PileClient client) : IHealthCheck
    {
        public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
        {
            try
            {
                TimeSpan took = await client.PingAsync(cancellationToken).ConfigureAwait(false);
                return HealthCheckResult.Healthy($"The server at {client.Address} serves.", new Dictionary<string, object>(StringComparer.Ordinal) { ["pingMs"] = took.TotalMilliseconds });
            }
            catch (Exception failure) when (failure is PileClientException or ObjectDisposedException)
            {
                return new HealthCheckResult(context.Registration.FailureStatus, failure.Message, failure);
            }
        }
    }
}
