// Where a host's pile stands once it is opened: the one service that exists before that, for those who are made before it too.
// It opens and closes nothing; PileLifecycle does.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Pile.Hosting;

/// <summary>A host's pile, to be asked for when it is needed. Hosted services take this instead of the <see cref="ObjectPile"/>: the host
/// makes them before anything is opened. Thread-safe.</summary>
public sealed class HostedPile
{
    private readonly string? _key;
    private ObjectPile? _pile;

    internal HostedPile(string? key) => _key = key;

    /// <summary>The pile, from before servers and workers start until they have stopped; afterwards it answers that it was disposed.</summary>
    /// <exception cref="InvalidOperationException">The host has not opened it yet.</exception>
    public ObjectPile Pile => Volatile.Read(ref _pile) ?? throw new InvalidOperationException(
        PileNames.NotOpen(_key, "pile", nameof(HostedPile), nameof(Pile)));

    /// <summary>The pile, when the host has opened it.</summary>
    /// <param name="pile">The pile, or null when false.</param>
    public bool TryGet([NotNullWhen(true)] out ObjectPile? pile)
    {
        pile = Volatile.Read(ref _pile);
        return pile is not null;
    }

    internal void Set(ObjectPile pile) => Volatile.Write(ref _pile, pile);
}
