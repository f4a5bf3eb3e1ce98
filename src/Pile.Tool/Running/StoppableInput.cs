// Input of a pipe as a stream whose reads end when the command is asked to end: its own wait for whoever writes, who may never do.
// A read that is left so goes on in the background, until the process ends.
using System;
using System.IO;
using System.Threading;

namespace Pile.Tool.Running;

/// <summary>Standard input, or a file that another process writes. One thread.</summary>
/// <param name="source">What is read; it stays open.</param>
/// <param name="stop">Ends what waits for input.</param>
internal sealed class StoppableInput(Stream source, CancellationToken stop) : Stream
{
    private byte[] _room = [];

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count)
    {
        // Into room of its own: a read that is left may write there yet.
        _room = _room.Length >= count ? _room : new byte[count];
        int bytes = source.ReadAsync(_room, 0, count, CancellationToken.None).WaitAsync(stop).GetAwaiter().GetResult();
        _room.AsSpan(0, bytes).CopyTo(buffer.AsSpan(offset));
        return bytes;
    }

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
