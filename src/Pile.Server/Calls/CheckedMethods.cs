// The methods of a service as they are bound: by CheckedBinder, and not by gRPC's own, which a service that names Bind as its binding turns off.
// What a method needs is told by the generated binding.
using System;
using Grpc.AspNetCore.Server.Model;
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>Binds a service to its methods.</summary>
/// <param name="service">The service.</param>
/// <param name="bind">Its generated binding.</param>
internal sealed class CheckedMethods<TService>(TService service, Action<ServiceBinderBase, TService> bind) : IServiceMethodProvider<TService>
    where TService : class
{
    /// <inheritdoc/>
    public void OnServiceMethodDiscovery(ServiceMethodProviderContext<TService> context) => bind(new CheckedBinder<TService>(context), service);
}
