// The way from Kestrel to a method of the server: by its whole path, which is all that gRPC has. The framework's routing would look for the path
// among patterns, and make objects for those that take any path, for each call; what is none of the paths below still goes there.
using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Grpc.AspNetCore.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Pile.Server.Running;

/// <summary>Routes of whole paths.</summary>
internal static class DirectRoutes
{
    /// <summary>Puts itself before the routing, which it adds.</summary>
    internal static void UseOn(WebApplication application)
    {
        // When the first call comes: by then everything is mapped.
        var routes = new Lazy<FrozenDictionary<string, Endpoint>>(() => Read(application.Services.GetRequiredService<EndpointDataSource>()));
        _ = application.Use(next => context => RunAsync(context, routes.Value, next)).UseRouting();
    }

    private static Task RunAsync(HttpContext context, FrozenDictionary<string, Endpoint> routes, RequestDelegate next)
    {
        if (!HttpMethods.IsPost(context.Request.Method) || !routes.TryGetValue(context.Request.Path.Value ?? "", out Endpoint? endpoint))
        {
            return next(context);
        }

        context.SetEndpoint(endpoint);
        return endpoint.RequestDelegate!(context);
    }

    private static FrozenDictionary<string, Endpoint> Read(EndpointDataSource endpoints)
    {
        IEnumerable<(GrpcMethodMetadata? Method, Endpoint Endpoint)> all = endpoints.Endpoints.Select(static endpoint => (endpoint.Metadata.GetMetadata<GrpcMethodMetadata>(), endpoint));
        return all.Where(static one => one.Method is not null && one.Endpoint.RequestDelegate is not null)
            .ToFrozenDictionary(static one => one.Method!.Method.FullName, static one => one.Endpoint, StringComparer.Ordinal);
    }
}
