// A connection that is read and written without the thread pool. .NET lets a blocking read wait for its own queue of events, once anything was written asynchronously,
// and finishes a write that the socket has no room for from there: both may need the pool. Here a thread asks the system itself. A write never waits: what the socket
// does not take at once is kept, and sent by a thread that is there for that alone, so that a reader that writes goes on reading. A flush waits for it.
using System;
using System.Buffers;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Calls;

/// <summary>A stream whose blocking reads, whose writes and whose flushes need no thread of the pool. One reads; writes are thread-safe.</summary>
internal sealed class PolledStream : NetworkStream
{
    private readonly Lock _gate = new();

    // Under the gate. What sends the rest is there as long as it sends, and stays where it has failed.
    private readonly ArrayBufferWriter<byte> _rest = new();
    private int _restSent;
    private TaskCompletionSource? _sending;

    /// <summary>Makes a stream of a connection, which it disposes.</summary>
    internal PolledStream(Socket socket)
        : base(socket, ownsSocket: true) => socket.Blocking = false;

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        try
        {
            while (true)
            {
                // True too where the other side has ended, or this one was disposed: the read says which.
                _ = Socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectRead);
                int count = Socket.Receive(buffer, SocketFlags.None, out SocketError error);
                if (error != SocketError.WouldBlock)
                {
                    return error == SocketError.Success ? count : throw new SocketException((int)error);
                }
            }
        }
        catch (SocketException gone)
        {
            throw new IOException(gone.Message, gone);
        }
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        lock (_gate)
        {
            if (_sending is not null)
            {
                if (_sending.Task.IsFaulted)
                {
                    _sending.Task.GetAwaiter().GetResult();
                }

                _rest.Write(buffer);
                return;
            }

            buffer = buffer[SendNow(buffer)..];
            if (buffer.IsEmpty)
            {
                return;
            }

            _rest.Write(buffer);
            _sending = new TaskCompletionSource();
        }

        OwnThread.Start(SendRest);
    }

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Write(buffer.Span);
        return default;
    }

    /// <inheritdoc/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        Write(buffer.AsSpan(offset, count));
        return Task.CompletedTask;
    }

    /// <summary>Waits until the socket has taken all that was written.</summary>
    /// <returns>Done by the thread that has sent the rest: who awaits it goes on there.</returns>
    public override Task FlushAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            return _sending?.Task ?? Task.CompletedTask;
        }
    }

    // How many bytes the socket has taken; it waits for nothing.
    private int SendNow(ReadOnlySpan<byte> bytes)
    {
        int count = Socket.Send(bytes, SocketFlags.None, out SocketError error);
        if (error is SocketError.Success or SocketError.WouldBlock)
        {
            return error == SocketError.Success ? count : 0;
        }

        var gone = new SocketException((int)error);
        throw new IOException(gone.Message, gone);
    }

    private void SendRest()
    {
        TaskCompletionSource? sent;
        try
        {
            while ((sent = TrySendRest()) is null)
            {
                // True too where the other side has ended, or this one was disposed: the next try says which.
                _ = Socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectWrite);
            }
        }
        catch (Exception failure)
        {
            // It stays, and fails all further writes; nobody may be there who waits for it.
            _sending!.SetException(failure);
            _ = _sending.Task.Exception;
            return;
        }

        sent.SetResult();
    }

    // Null as long as something is left.
    private TaskCompletionSource? TrySendRest()
    {
        lock (_gate)
        {
            _restSent += SendNow(_rest.WrittenSpan[_restSent..]);
            if (_restSent < _rest.WrittenCount)
            {
                return null;
            }

            _rest.ResetWrittenCount();
            _restSent = 0;
            TaskCompletionSource? sent = _sending;
            _sending = null;
            return sent;
        }
    }
}
