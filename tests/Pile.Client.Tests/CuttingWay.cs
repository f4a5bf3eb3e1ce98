// A way to a server that harms what goes over it: pieces come late, or half, or vanish, connections end at once or in one direction alone.
// Until it is told to be calm: then what vanished takes its connection along, and all that follows comes through.
using System;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Tests;

internal sealed class CuttingWay(string server, int seed) : Way(server)
{
    private readonly Random _random = new(seed);
    private volatile TaskCompletionSource _calm = Done();
    private int _harms;

    /// <summary>Times that a connection was harmed.</summary>
    internal int Harms => Volatile.Read(ref _harms);

    /// <summary>Small ones are harmed at more places. Where nothing is, a large value of hundreds of them may take longer than its call has, on a machine that has much to do.</summary>
    protected override int PieceBytes => IsCalm ? 256 << 10 : 16 << 10;

    private bool IsCalm => _calm.Task.IsCompleted;

    /// <summary>From here on harm is done.</summary>
    internal void Begin() => _calm = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>From here on none is.</summary>
    internal void End() => _calm.SetResult();

    protected override void Release() => _ = _calm.TrySetResult();

    protected override async Task BeginAsync()
    {
        // Before anything comes, too: then nobody answers at all, for a while.
        if (!IsCalm && Next(20) == 0)
        {
            _ = Interlocked.Increment(ref _harms);
            await LaterAsync(1 + Next(499));
        }
    }

    protected override async Task<bool> PassAsync(Connection connection, Socket to, Memory<byte> piece)
    {
        Memory<byte> half = piece[..(piece.Length / 2)];
        switch (IsCalm ? int.MaxValue : Next(600))
        {
            case 0:
                Harm(connection);
                return false;
            case 1:
                await SendAsync(to, half);
                Harm(connection);
                return false;
            case 2:
                // The half of a piece, and nothing any more: neither the rest nor an end.
                await SendAsync(to, half);
                _ = Interlocked.Increment(ref _harms);
                await _calm.Task;
                Cut(connection);
                return false;
            case 3:
                _ = Interlocked.Increment(ref _harms);
                to.Shutdown(SocketShutdown.Send);
                await _calm.Task;
                Cut(connection);
                return false;
            case 4:
                // An end that says that something went wrong.
                to.LingerState = new LingerOption(true, 0);
                Harm(connection);
                return false;
            case < 25:
                await LaterAsync(1 + Next(59));
                await SendAsync(to, piece);
                return true;
            case < 35:
                await SendAsync(to, half);
                await LaterAsync(1 + Next(19));
                await SendAsync(to, piece[half.Length..]);
                return true;
            default:
                await SendAsync(to, piece);
                return true;
        }
    }

    private int Next(int below)
    {
        lock (_random)
        {
            return _random.Next(below);
        }
    }

    private void Harm(Connection connection)
    {
        _ = Interlocked.Increment(ref _harms);
        Cut(connection);
    }

    private async Task LaterAsync(int milliseconds)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(milliseconds));
        _ = await timer.WaitForNextTickAsync(Ended);
    }
}
