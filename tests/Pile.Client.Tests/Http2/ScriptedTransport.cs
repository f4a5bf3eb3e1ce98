using System;
using System.IO;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests.Http2;

/// <summary>A connection whose other side is the test: it says what comes, and looks at what went out.</summary>
internal sealed class ScriptedTransport : Stream
{
    private readonly Channel<byte[]> _input = Channel.CreateUnbounded<byte[]>();
    private readonly MemoryStream _output = new();
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private byte[] _rest = [];

    /// <summary>Whether writes do not end until it is disposed.</summary>
    internal bool IsStuck { get; set; }

    /// <summary>All that went out so far.</summary>
    internal byte[] Written
    {
        get
        {
            lock (_gate)
            {
                return _output.ToArray();
            }
        }
    }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    internal void Say(byte[] bytes) => Assert.True(_input.Writer.TryWrite(bytes));

    internal void EndInput() => _input.Writer.Complete();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_disposed.Task.IsCompleted, this);
        if (_rest.Length == 0)
        {
            if (!await _input.Reader.WaitToReadAsync(cancellationToken))
            {
                return 0;
            }

            _rest = await _input.Reader.ReadAsync(cancellationToken);
        }

        int count = int.Min(buffer.Length, _rest.Length);
        _rest.AsSpan(0, count).CopyTo(buffer.Span);
        _rest = _rest[count..];
        return count;
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (IsStuck)
        {
            await _disposed.Task;
            throw new IOException("disposed");
        }

        lock (_gate)
        {
            _output.Write(buffer.Span);
        }
    }

    public override void Flush()
    {
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        _ = _disposed.TrySetResult();
        _ = _input.Writer.TryComplete();
        base.Dispose(disposing);
    }
}
