// grpc.health.v1 by its public description: whether the server serves, for the server as a whole and for each of its services by name. One whose
// cache takes no writes any more does not, though it still reads: only a start anew helps it, and who restarts servers asks here.
// A Watch ends when the server stops, after it has said so.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Health.V1;
using Serving = Grpc.Health.V1.HealthCheckResponse.Types.ServingStatus;

namespace Pile.Server.Calls;

/// <summary>Health checks. Thread-safe.</summary>
[BindServiceMethod(typeof(NoBinding), nameof(NoBinding.Bind))]
internal sealed class HealthService(ServerState state) : Health.HealthBase
{
    private static readonly string[] _names = ["", V1.Entries.Descriptor.FullName, V1.Tables.Descriptor.FullName, V1.Admin.Descriptor.FullName];

    private int _watching;

    /// <inheritdoc/>
    public override Task<HealthCheckResponse> Check(HealthCheckRequest request, ServerCallContext context) => _names.Contains(request.Service)
        ? Task.FromResult(new HealthCheckResponse { Status = Status })
        : throw CallFailure.Of(StatusCode.NotFound, PileStatus.Refused, $"There is no such service. There are {string.Join(", ", _names.Skip(1))}, and the empty name for the server.");

    /// <inheritdoc/>
    /// <remarks>Everybody may watch, so that there is an end to how many do.</remarks>
    public override async Task Watch(HealthCheckRequest request, IServerStreamWriter<HealthCheckResponse> responseStream, ServerCallContext context)
    {
        try
        {
            if (Interlocked.Increment(ref _watching) > ServerLimits.HealthWatchesMax)
            {
                throw CallFailure.Busy($"{ServerLimits.HealthWatchesMax:N0} calls watch the server's health, as many as there may be. Ask by Check.");
            }

            await TellAsync(_names.Contains(request.Service), responseStream, context.CancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _ = Interlocked.Decrement(ref _watching);
        }
    }

    private async Task TellAsync(bool isKnown, IServerStreamWriter<HealthCheckResponse> replies, CancellationToken cancel)
    {
        // Registered rather than waited for as tasks: a watch that ends leaves nothing behind.
        var stops = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var begins = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var fails = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenRegistration stop = state.Stopping.Register(stops.SetResult);
        using CancellationTokenRegistration begin = state.Begun.Register(begins.SetResult);
        using CancellationTokenRegistration fail = state.Failed.Register(fails.SetResult);
        Serving last = Serving.Unknown;

        // It is asked while the server recovers only where its health has an address of its own.
        foreach (Task change in new[] { Task.CompletedTask, Task.WhenAny(begins.Task, stops.Task), Task.WhenAny(fails.Task, stops.Task), stops.Task })
        {
            await change.WaitAsync(cancel).ConfigureAwait(false);
            Serving now = isKnown ? Status : Serving.ServiceUnknown;
            if (now != last)
            {
                last = now;
                await replies.WriteAsync(new HealthCheckResponse { Status = now }, cancel).ConfigureAwait(false);
            }
        }

        throw new OperationCanceledException(state.Stopping);
    }

    private Serving Status => state.IsHealthy ? Serving.Serving : Serving.NotServing;
}
