// A way to a server that a test can cut: connections stay open, and nothing comes through any more, or they end at once.
using System;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Tests;

internal sealed class BlackHole(string server) : Way(server)
{
    private volatile TaskCompletionSource _open = Done();
    private long _breaksAfter = long.MaxValue;

    /// <summary>From now on bytes vanish into buffers.</summary>
    internal void Cut() => _open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends all connections, once, when so many more bytes have come to the server.</summary>
    internal void BreakAfter(long bytes) => Interlocked.Exchange(ref _breaksAfter, bytes);

    /// <summary>What was held comes through, and all that follows.</summary>
    internal void Mend() => _open.SetResult();

    protected override void Release() => _ = _open.TrySetResult();

    protected override Task EndAsync() => _open.Task;

    protected override async Task<bool> PassAsync(Connection connection, Socket to, Memory<byte> piece)
    {
        await _open.Task;
        if (to == connection.There && Interlocked.Add(ref _breaksAfter, -piece.Length) <= 0 && Interlocked.Exchange(ref _breaksAfter, long.MaxValue) <= 0)
        {
            CutAll();
        }

        await SendAsync(to, piece);
        return true;
    }
}
