// The server's services as endpoints, each behind the gate with the access that its calls need.
// Where the host listens, and with which certificate, is the host's own.
using System;
using System.Linq;
using Grpc.AspNetCore.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Pile.Server.Calls;

namespace Pile.Server;

/// <summary>Maps the cache server.</summary>
public static class PileServerEndpoints
{
    /// <summary>Maps all services of the server: entries, tables, admin, health and reflection.</summary>
    /// <param name="endpoints">The application; its server must speak HTTP/2.</param>
    /// <returns>The endpoints, for conventions of your own.</returns>
    /// <exception cref="InvalidOperationException">The server was not added by <see cref="PileServerServices.AddPileServer"/>.</exception>
    public static IEndpointConventionBuilder MapPile(this IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        CallGate gate = endpoints.ServiceProvider.GetService<CallGate>() ?? throw new InvalidOperationException("The cache server is not among the services: add it by AddPileServer before the application is built.");
        IEndpointConventionBuilder[] mapped =
        [
            endpoints.MapGrpcService<EntriesService>(), endpoints.MapGrpcService<TablesService>(), endpoints.MapGrpcService<AdminService>(),
            endpoints.MapGrpcService<HealthService>(), endpoints.MapGrpcService<AlphaReflection>(), endpoints.MapGrpcService<Reflection>(),
        ];
        var all = new AllEndpoints(mapped);
        BatchStream batches = endpoints.ServiceProvider.GetRequiredService<BatchStream>();
        int messageBytesMax = endpoints.ServiceProvider.GetRequiredService<IOptions<PileServerOptions>>().Value.MessageBytesMax;
        all.Add(endpoint => Guard(gate, batches, messageBytesMax, endpoint));
        return all;
    }

    // What is no method of the server's, such as gRPC's answer to unknown ones, stays as it is: it does nothing.
    private static void Guard(CallGate gate, BatchStream batches, int messageBytesMax, EndpointBuilder endpoint)
    {
        if (endpoint.RequestDelegate is { } inner && endpoint.Metadata.OfType<GrpcMethodMetadata>().FirstOrDefault() is { } method)
        {
            endpoint.RequestDelegate = gate.Before(new CalledMethod(
                method.Method.FullName == BatchStream.FullName ? batches.Before(inner) : inner, method.Method.FullName.TrimStart('/'), method.Method.Type, AccessOf(method), EntriesMethods.KindOf(method.Method))
            {
                CallMessageBytesMax = !method.Method.ServiceName.StartsWith("pile.", StringComparison.Ordinal) ? long.MaxValue : messageBytesMax,
                MessageBytesMax = method.Method.Name switch
                {
                    nameof(V1.Entries.EntriesBase.SetLarge) => ServerLimits.LargeMessageBytesMax,
                    nameof(V1.Entries.EntriesBase.GetOrLease) or nameof(V1.Entries.EntriesBase.GetLarge) or nameof(V1.Entries.EntriesBase.Watch) => ServerLimits.KeyMessageBytesMax,
                    _ => long.MaxValue,
                },
            });
        }
    }

    private static PileServerAccess AccessOf(GrpcMethodMetadata method) => method.ServiceType switch
    {
        var type when type == typeof(HealthService) => PileServerAccess.None,
        var type when type == typeof(AdminService) => PileServerAccess.Admin,
        var type when type == typeof(Reflection) || type == typeof(AlphaReflection) => PileServerAccess.Read,
        _ when CalledMethod.IsRead(method.Method.Name) => PileServerAccess.Read,
        _ when method.Method.Name == nameof(V1.Entries.EntriesBase.Batches) => PileServerAccess.Read | PileServerAccess.Write,
        _ => PileServerAccess.Write,
    };

    private sealed class AllEndpoints(IEndpointConventionBuilder[] builders) : IEndpointConventionBuilder
    {
        public void Add(Action<EndpointBuilder> convention) => Array.ForEach(builders, builder => builder.Add(convention));

        public void Finally(Action<EndpointBuilder> finallyConvention) => Array.ForEach(builders, builder => builder.Finally(finallyConvention));
    }
}
