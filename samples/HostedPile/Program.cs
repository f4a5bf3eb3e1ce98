// A worker service with a pile in files. The host opens it before the worker starts and closes it after the worker has stopped;
// Ctrl+C, a SIGTERM or a kill -9, and the next start goes on where this one was.
using HostedPile;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pile.Hosting;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings
{
    Args = args,
    ContentRootPath = System.AppContext.BaseDirectory,
});
_ = builder.AddPile();
_ = builder.Services.AddHealthChecks().AddPile();
_ = builder.Services.AddHostedService<CountingWorker>();
await builder.Build().RunAsync();
