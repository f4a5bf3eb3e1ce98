// Counts its ticks in the pile, with a reading of each, and says how many it finds when it starts.
// It takes the HostedPile, because the host makes workers before it opens piles.
using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile;

namespace HostedPile;

/// <summary>The work.</summary>
internal sealed partial class CountingWorker(Pile.Hosting.HostedPile place, IConfiguration configuration, IHostApplicationLifetime lifetime, ILogger<CountingWorker> logger)
    : BackgroundService
{
    private const string Root = "ticks";

    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        ObjectPile pile = place.Pile;
        Tally tally = pile.Roots.TryGet(Root, out PilePointer pointer) ? pile.Get<Tally>(pointer) : new Tally(0, default);
        Found(logger, tally.Ticks, tally.Last);
        if (tally.Ticks == 0)
        {
            pointer = pile.Put(tally);
            pile.Roots.Set(Root, pointer);
        }

        // --ticks N ends after so many, for a look and for tests.
        int wanted = configuration.GetValue("ticks", int.MaxValue);
        using PeriodicTimer timer = new(TimeSpan.FromMilliseconds(configuration.GetValue("everyMs", 1000)));
        for (int tick = 0; tick < wanted && await timer.WaitForNextTickAsync(stoppingToken); tick++)
        {
            tally = new Tally(tally.Ticks + 1, TimeProvider.System.GetUtcNow());
            pile.Update(pointer, tally);
        }

        lifetime.StopApplication();
    }

    [LoggerMessage(1, LogLevel.Information, "Found {Ticks} ticks, the last one at {Last:O}")]
    private static partial void Found(ILogger logger, int ticks, DateTimeOffset last);

    private sealed record Tally(int Ticks, DateTimeOffset Last);
}
