using System;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Hosting.Tests;

namespace Pile.Caching.Tests;

/// <summary>Services for an adapter without a host.</summary>
internal static class TestServices
{
    internal static ServiceProvider With(RecordedLog log, Action<IServiceCollection>? more = null)
    {
        ServiceCollection services = new();
        _ = services.AddLogging(builder => builder.SetMinimumLevel(LogLevel.Trace).AddProvider(log));
        more?.Invoke(services);
        return services.BuildServiceProvider();
    }
}
