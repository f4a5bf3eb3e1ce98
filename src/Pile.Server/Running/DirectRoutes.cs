// The server's methods have one path each and nothing to choose from: a dictionary finds them in less time than the framework's routing, which
// counts in a call of a few microseconds (decision 47). What is none of them goes to the routing, which knows how gRPC refuses it.
using System;
using System.Collections.Frozen;
using System.Linq;
using Grpc.AspNetCore.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Pile.Server.Running;

/// <summary>The way of the program's calls to their methods.</summary>
internal static class DirectRoutes
{
    /// <summary>Puts it before the routing. After MapPile.</summary>
    internal static void AddTo(WebApplication application)
    {
        FrozenDictionary<string, Endpoint> methods = ((IEndpointRouteBuilder)application).DataSources.SelectMany(static source => source.Endpoints)
            .Where(static endpoint => endpoint.RequestDelegate is not null && endpoint.Metadata.GetMetadata<GrpcMethodMetadata>() is not null)
            .ToFrozenDictionary(static endpoint => endpoint.Metadata.GetMetadata<GrpcMethodMetadata>()!.Method.FullName, StringComparer.Ordinal);
        _ = application.Use(next => context =>
        {
            if (!HttpMethods.IsPost(context.Request.Method) || !methods.TryGetValue(context.Request.Path.Value!, out Endpoint? endpoint))
            {
                return next(context);
            }

            context.SetEndpoint(endpoint);
            return endpoint.RequestDelegate!(context);
        });
        _ = application.UseRouting();
    }
}
