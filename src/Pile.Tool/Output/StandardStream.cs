// Standard output as a stream whose reader may go away: the stream of Console does not tell. A file keeps that one, because several
// commands may write to it one after the other, from where the last ended.
using System;
using System.IO;
using Microsoft.Win32.SafeHandles;
using Pile.Tool.Running;

namespace Pile.Tool.Output;

/// <summary>Standard output. One thread.</summary>
internal sealed class StandardStream : Stream
{
    private const int OutputHandle = 1;
    private const int BufferBytes = 1 << 16;
    private const int BrokenPipe = 32;
    private readonly BufferedStream _target;

    internal StandardStream()
    {
        Stream? own = null;
        try
        {
            own = new FileStream(new SafeFileHandle(OutputHandle, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        }
        catch (Exception failure) when (failure is ArgumentException or IOException or UnauthorizedAccessException)
        {
            // Closed, or of a kind that can't be asked: Console knows what to do with it.
        }

        _target = new BufferedStream(own is { CanSeek: false } ? own : Console.OpenStandardOutput(), BufferBytes);
    }

    /// <inheritdoc/>
    public override bool CanRead => false;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => true;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        try
        {
            _target.Write(buffer);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw Told(failure);
        }
    }

    /// <inheritdoc/>
    public override void Flush()
    {
        try
        {
            _target.Flush();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw Told(failure);
        }
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <summary>The words of a failed write. Where the handle takes none, a closed one for example, .NET speaks of access, and the cause has what the system said.</summary>
    internal static string MessageOf(Exception failure) => $"Standard output: {(failure.InnerException ?? failure).Message}";

    private static IOException Told(Exception failure) =>
        (failure.HResult & 0xFFFF) == BrokenPipe ? new OutputClosedException(failure) : new IOException(MessageOf(failure), failure);
}
