using System.Collections.Generic;
using Pile.Bench.Workloads;

namespace Pile.Bench.Serving;

/// <summary>The rows of the goals of the cache server and of its client, in their order.</summary>
internal static class ServerWorkloads
{
    internal static IReadOnlyList<WorkloadEntry> All { get; } =
    [
        new("server-unary", settings => new ServerUnary(settings)),
        new("server-batches", settings => new ServerBatches(settings)),
        new("server-allocated", settings => new ServerAllocated(settings)),
        new("server-restart", settings => new ServerRestart(settings)),
        new("client-gets", settings => new ClientGets(settings)),
    ];
}
