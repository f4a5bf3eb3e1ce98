// Channels for values that are stored in chunks: each store has one alone while it is under way. A store that ends before all of it is written can take
// its connection along, and with it whatever else there is on it (docs/decisions/0078).
using System;
using System.Collections.Generic;
using System.Threading;

namespace Pile.Client.Calls;

/// <summary>Channels, each of one store at a time. Thread-safe.</summary>
/// <param name="make">Makes a channel.</param>
internal sealed class LargeChannels(Func<ServerChannel> make) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly HashSet<ServerChannel> _taken = [];
    private readonly Stack<ServerChannel> _idle = new();
    private bool _isDisposed;

    /// <summary>Takes one for a store.</summary>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    internal ServerChannel Take()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(PileClient));
            ServerChannel channel = _idle.TryPop(out ServerChannel? idle) ? idle : make();
            _ = _taken.Add(channel);
            return channel;
        }
    }

    /// <summary>Gives one back.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="isWhole">Whether its store was written to its end and answered: otherwise its connection is not used again.</param>
    internal void Give(ServerChannel channel, bool isWhole)
    {
        lock (_lock)
        {
            _ = _taken.Remove(channel);
            if (isWhole && !_isDisposed && _idle.Count < ClientLimits.LargeIdleMax)
            {
                _idle.Push(channel);
                return;
            }
        }

        channel.Dispose();
    }

    /// <summary>Ends all, and the stores that are under way.</summary>
    public void Dispose()
    {
        ServerChannel[] all;
        lock (_lock)
        {
            _isDisposed = true;
            all = [.. _taken, .. _idle];
            _idle.Clear();
        }

        foreach (ServerChannel channel in all)
        {
            channel.Dispose();
        }
    }
}
