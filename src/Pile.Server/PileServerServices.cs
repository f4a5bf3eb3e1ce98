// The server as services of a host: its options, what serves the calls, and gRPC's own, bounded as the options say.
// PileServerEndpoints maps it; the cache is added by Pile.Caching's AddPileCache.
using System;
using System.Linq;
using Grpc.AspNetCore.Server;
using Grpc.AspNetCore.Server.Model;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Pile.Caching;
using Pile.Server.Calls;
using Pile.Server.Leases;
using Pile.Server.Settings;
using Pile.Server.Watching;

namespace Pile.Server;

/// <summary>Adds the cache server to a host that is being built.</summary>
public static class PileServerServices
{
    /// <summary>Adds the server on the host's cache, which <see cref="PileCacheHostBuilders.AddPileCache"/> adds, with options from the sections
    /// <c>PileServer</c> and <c>PileClients</c> of the configuration.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="InvalidOperationException">The server was added before.</exception>
    /// <remarks>Map it by <see cref="PileServerEndpoints.MapPile"/>. Options that can't be end the start of the host, with the path of each.</remarks>
    public static IHostApplicationBuilder AddPileServer(this IHostApplicationBuilder builder, Action<PileServerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        IServiceCollection services = builder.Services;
        if (services.Any(static service => service.ServiceType == typeof(ServerState)))
        {
            throw new InvalidOperationException("The cache server was added already: a host has one.");
        }

        OptionsBuilder<PileServerOptions> options = services.AddOptions<PileServerOptions>().Configure(options => ServerSettings.Read(builder.Configuration, options));
        if (configure is not null)
        {
            _ = options.Configure(configure);
        }

        _ = options.ValidateOnStart();
        _ = services.AddSingleton<IValidateOptions<PileServerOptions>, ServerOptionsValidator>();
        _ = services.AddSingleton<ServerState>().AddSingleton<ServerMetrics>().AddSingleton<CallGate>().AddSingleton<ReadyCalls>().AddSingleton<FailureInterceptor>();
        _ = services.AddSingleton(static provider => new ReceiveBudget(provider.GetRequiredService<IOptions<PileServerOptions>>().Value.ReceiveBudgetBytes));
        _ = services.AddSingleton(static provider => new ReceivePace(provider.GetService<TimeProvider>()));
        _ = services.AddSingleton(static provider => new ReplyPace(provider.GetService<TimeProvider>()));
        _ = services.AddSingleton(static provider => new ReplyBudget(provider.GetRequiredService<IOptions<PileServerOptions>>().Value.ReplyBudgetBytes));
        _ = services.AddSingleton(static provider => new BatchWork(provider.GetRequiredService<ServerState>(), provider.GetRequiredService<IOptions<PileServerOptions>>().Value, provider.GetService<TimeProvider>()));
        _ = services.AddSingleton(static provider => new ScanStore(provider.GetRequiredService<ReplyBudget>(), provider.GetService<TimeProvider>()));
        _ = services.AddSingleton(static provider => new LeaseRoom(provider.GetService<TimeProvider>())).AddSingleton<LeaseCalls>();
        _ = services.AddSingleton(static provider => new WatchRoom(provider.GetService<TimeProvider>())).AddSingleton<WatchCalls>();
        _ = services.AddSingleton<BatchStream>().AddSingleton<LargeCalls>();
        _ = services.AddSingleton<EntriesService>().AddSingleton<TablesService>().AddSingleton<AdminService>().AddSingleton<HealthService>();
        Google.Protobuf.Reflection.ServiceDescriptor[] described = [V1.Entries.Descriptor, V1.Tables.Descriptor, V1.Admin.Descriptor, Grpc.Health.V1.Health.Descriptor];
        _ = services.AddSingleton(new AlphaReflection(described)).AddSingleton(new Reflection(described));
        _ = services.AddHostedService<ServerLifecycle>().AddSingleton<IServiceMethodProvider<EntriesService>, EntriesMethods>();
        AddMethods<TablesService>(services, V1.Tables.BindService);
        AddMethods<AdminService>(services, V1.Admin.BindService);
        AddMethods<HealthService>(services, Grpc.Health.V1.Health.BindService);
        AddMethods<Reflection>(services, Grpc.Reflection.V1.ServerReflection.BindService);
        AddMethods<AlphaReflection>(services, Grpc.Reflection.V1Alpha.ServerReflection.BindService);

        _ = services.AddGrpc();
        _ = services.AddSingleton<IConfigureOptions<GrpcServiceOptions<EntriesService>>, CallOptions<EntriesService>>();
        _ = services.AddSingleton<IConfigureOptions<GrpcServiceOptions<TablesService>>, CallOptions<TablesService>>();
        _ = services.AddSingleton<IConfigureOptions<GrpcServiceOptions<AdminService>>, CallOptions<AdminService>>();
        _ = services.AddSingleton<IConfigureOptions<GrpcServiceOptions<HealthService>>, CallOptions<HealthService>>();
        _ = services.AddSingleton<IConfigureOptions<GrpcServiceOptions<Reflection>>, CallOptions<Reflection>>();
        _ = services.AddSingleton<IConfigureOptions<GrpcServiceOptions<AlphaReflection>>, CallOptions<AlphaReflection>>();
        return builder;
    }

    internal static void AddMethods<TService>(IServiceCollection services, Action<ServiceBinderBase, TService> bind)
        where TService : class =>
        services.AddSingleton<IServiceMethodProvider<TService>>(provider => new CheckedMethods<TService>(provider.GetRequiredService<TService>(), bind));
}
