// The simplest kind of thing that a host opens: a pile, and nothing on it.
// Its place is a HostedPile.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>Piles in a host.</summary>
internal sealed class PileHosted : HostedKind<PileHostOptions>
{
    private PileHosted()
    {
    }

    internal static PileHosted Instance { get; } = new();

    internal override string Noun => "pile";

    internal override string AddKeyed => nameof(PileServices.AddKeyedPile);

    internal override IReadOnlyList<PileSetting<PileHostOptions>> Settings => PileSettings.All;

    internal override Type Place => typeof(HostedPile);

    /// <summary>The place of a pile, by its key or without one.</summary>
    internal static HostedPile PlaceOf(IServiceProvider provider, string? key) => HostedServices.PlaceOf<HostedPile>(provider, key);

    internal override void Validate(PileHostOptions options)
    {
        ArgumentNullException.ThrowIfNull(options.Pile, nameof(options.Pile));
        if (options.Directory is not null)
        {
            options.Pile.ValidateForFiles();
        }
        else
        {
            options.Pile.ValidateForMemory();
        }
    }

    internal override PileOptions PileOptionsOf(PileHostOptions options) => options.Pile;

    internal override void AddServices(IServiceCollection services, string? key) =>
        HostedServices.AddPlace(services, key, new HostedPile(key), static place => place.Pile);

    internal override void Begin(IServiceProvider provider, string? key, ObjectPile pile, PileHostOptions options, ILogger logger) =>
        PlaceOf(provider, key).Set(pile);
}
