using System.Threading;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Bench.Running;
using Pile.Bench.Workloads;
using Pile.Hosting;

namespace Pile.Bench.Mapped;

/// <summary>A pile in a host, as a program with Pile.Hosting has it: opened by the start, used, left alone for a second, closed by the stop.</summary>
internal static class HostedRun
{
    /// <summary>How long nothing is called before the stop.</summary>
    internal const int IdleMs = 1000;

    /// <summary>Runs; returns what the host's stop took, by the wall clock: other threads close the pile.</summary>
    internal static Spent Run(string directory, int objects)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        _ = builder.Logging.ClearProviders(); // A line of the log would be taken for what this process tells.
        _ = builder.AddPile(options => options.Directory = directory);
        using IHost host = builder.Build();
        host.Start();
        ObjectPile pile = host.Services.GetRequiredService<ObjectPile>();
        _ = Loops.Put(pile, Data.Payload(), new PilePointer[objects]);
        SpinWait.SpinUntil(() => pile.GetStatistics().IsCounted);
        Thread.Sleep(IdleMs);
        Spent start = Spent.Now();
        host.StopAsync().GetAwaiter().GetResult();
        double wall = (Spent.Now() - start).WallNs;
        return new Spent(wall, wall);
    }
}
