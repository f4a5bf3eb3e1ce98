// A connection that is read by a thread which waits for it alone. Once anything was written asynchronously to a socket, .NET lets a blocking read wait for its own
// queue of events, which may hand the news to the thread pool; here the thread asks the system itself.
using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;

namespace Pile.Client.Calls;

/// <summary>A stream whose blocking reads need no other thread.</summary>
internal sealed class PolledStream(Socket socket) : NetworkStream(socket, ownsSocket: true)
{
    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        // True too where the other side has ended, or this one was disposed: the read says which.
        try
        {
            _ = Socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectRead);
            return Socket.Receive(buffer, SocketFlags.None);
        }
        catch (SocketException gone)
        {
            throw new IOException(gone.Message, gone);
        }
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));
}
