using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Http2;
using Xunit;

namespace Pile.Client.Tests.Http2;

/// <summary>What goes out where the pool has no thread.</summary>
[Collection(Alone.Name)]
public sealed class FrameOutputTests
{
    private const int Frames = 20_000;

    /// <summary>In one of some hundred rounds or more the flush ends in the moment in which the wait for it begins.</summary>
    [Fact]
    public async Task AFlushThatEndsInAnyMomentNeedsNoThreadOfThePool()
    {
        using var transport = new FlushedElsewhere();
        var output = new FrameOutput(transport, 1);
        await FullPool.WhileAsync(() =>
        {
            for (int frame = 1; frame <= Frames; frame++)
            {
                output.Send([1]);
                Assert.True(SpinWait.SpinUntil(() => transport.Flushes == frame, TimeSpan.FromSeconds(30)), $"{transport.Flushes} of {frame} frames are sent.");
            }
        });
    }

    /// <summary>A connection whose flushes a thread ends as fast as it can.</summary>
    private sealed class FlushedElsewhere : MemoryStream
    {
        private volatile TaskCompletionSource? _flush;
        private volatile bool _isDisposed;
        private int _flushes;

        internal FlushedElsewhere() => new Thread(EndFlushes) { IsBackground = true }.Start();

        internal int Flushes => Volatile.Read(ref _flushes);

        public override Task FlushAsync(CancellationToken cancellationToken)
        {
            _ = Interlocked.Increment(ref _flushes);
            return (_flush = new TaskCompletionSource()).Task;
        }

        protected override void Dispose(bool disposing)
        {
            _isDisposed = true;
            base.Dispose(disposing);
        }

        private void EndFlushes()
        {
            while (!_isDisposed)
            {
                if (_flush is { } flush)
                {
                    _flush = null;
                    flush.SetResult();
                }
            }
        }
    }
}
