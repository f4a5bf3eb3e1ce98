// What differs between the kinds of things that a host opens: a pile, or what stands on a pile. All else is the same for all:
// registration (HostedServices), validation (HostedOptionsValidator), the life in the host (PileLifecycle).
using System;
using System.Collections.Generic;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>A kind of thing that stands on a pile of its own, which the host opens and closes.</summary>
/// <typeparam name="TOptions">Its options.</typeparam>
internal abstract class HostedKind<TOptions>
    where TOptions : class, IHostedOptions
{
    /// <summary>What people call it.</summary>
    internal abstract string Noun { get; }

    /// <summary>The method that adds another one, beside one without a key.</summary>
    internal abstract string AddKeyed { get; }

    /// <summary>The settings that it has in configuration.</summary>
    internal abstract IReadOnlyList<PileSetting<TOptions>> Settings { get; }

    /// <summary>The service that says where it stands once it is open.</summary>
    internal abstract Type Place { get; }

    /// <summary>Refuses options that can't be.</summary>
    /// <exception cref="ArgumentException">An option can't be so; the parameter's name is the option's.</exception>
    internal abstract void Validate(TOptions options);

    /// <summary>The options of its pile.</summary>
    internal abstract PileOptions PileOptionsOf(TOptions options);

    /// <summary>Adds the services by which it is asked for.</summary>
    internal abstract void AddServices(IServiceCollection services, string? key);

    /// <summary>Stands on the pile that was opened, and is there from now on. What it throws ends the start, and the pile is closed.</summary>
    internal abstract void Begin(IServiceProvider provider, string? key, ObjectPile pile, TOptions options, ILogger logger);
}
