using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Server.Calls;
using Pile.Server.Packed;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>What of a call's body counts against the receive budget, and how long.</summary>
public sealed class CountedReaderTests : IDisposable
{
    private const int MessageBytes = 512 << 10;

    private readonly ReceiveBudget _budget = new(1 << 20);
    private readonly ReceivePace _pace = new(new MovedTime());
    private readonly Pipe _body = new(new PipeOptions(pauseWriterThreshold: 0));

    public void Dispose() => _pace.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AMessageCountsUntilItsCallEndsHoweverItCame(bool isAtOnce)
    {
        CountedReader reader = Begin(MethodType.Unary);
        await TakeAsync(reader, isAtOnce);
        Assert.Equal(MessageBytes - ServerLimits.ReceiveFreeBytes, _budget.TakenBytes);
        ValueTask<ReadResult> rest = reader.ReadAsync();
        Assert.Equal(MessageBytes - ServerLimits.ReceiveFreeBytes, _budget.TakenBytes);
        await _body.Writer.CompleteAsync();
        Assert.True((await rest).IsCompleted);
        reader.End();
        Assert.Equal(0, _budget.TakenBytes);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AMessageOfAStreamCountsUntilTheNextIsAskedFor(bool isAtOnce)
    {
        CountedReader reader = Begin(MethodType.DuplexStreaming);
        for (int message = 0; message < 3; message++)
        {
            await TakeAsync(reader, isAtOnce);
            Assert.Equal(MessageBytes - ServerLimits.ReceiveFreeBytes, _budget.TakenBytes);
            _ = reader.TryRead(out _);
            Assert.Equal(0, _budget.TakenBytes);
        }

        reader.End();
    }

    [Theory]
    [InlineData(MethodType.Unary)]
    [InlineData(MethodType.DuplexStreaming)]
    public async Task ASmallMessageHasATimeWhileItsRestIsNotThereAndDoesNotCount(MethodType type)
    {
        CountedReader reader = Begin(type);
        ValueTask<ReadResult> idle = reader.ReadAsync();
        Assert.Equal(0, _pace.Count);
        _ = await _body.Writer.WriteAsync(new byte[1_000]);
        ReadResult half = await idle;
        reader.AdvanceTo(half.Buffer.Start, half.Buffer.End);
        ValueTask<ReadResult> rest = reader.ReadAsync();
        Assert.Equal((0, 1), (_budget.TakenBytes, _pace.Count));
        _ = await _body.Writer.WriteAsync(new byte[1_000]);
        reader.AdvanceTo((await rest).Buffer.End);
        Assert.Equal(0, _pace.Count);

        // The next message of a stream has not begun; another call waits for its end alone.
        ValueTask<ReadResult> end = reader.ReadAsync();
        Assert.Equal(0, _pace.Count);
        await _body.Writer.CompleteAsync();
        Assert.True((await end).IsCompleted);
        Assert.Equal((0, 0), (_budget.TakenBytes, _pace.Count));
        reader.End();
    }

    [Fact]
    public async Task MoreThanTheBudgetIsRefusedThoughItCameAtOnce()
    {
        CountedReader[] readers = [Begin(MethodType.Unary), Begin(MethodType.Unary), Begin(MethodType.Unary)];
        await TakeAsync(readers[0], isAtOnce: true);
        await TakeAsync(readers[1], isAtOnce: true);
        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => TakeAsync(readers[2], isAtOnce: true));
        Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);
        Array.ForEach(readers, static reader => reader.End());
        Assert.Equal(0, _budget.TakenBytes);
    }

    [Fact]
    public async Task AMessageThatIsUnpackedCountsAsWhatItBecomes()
    {
        var gzip = new BoundedGzip(MessageBytes);
        using var packed = new MemoryStream();
        using (Stream packing = gzip.CreateCompressionStream(packed, null))
        {
            packing.Write(new byte[MessageBytes]);
        }

        CountedReader reader = Begin(MethodType.DuplexStreaming);
        CountedReader.Current = reader;
        for (int message = 0; message < 3; message++)
        {
            _ = await _body.Writer.WriteAsync(packed.ToArray());
            ReadResult read = await reader.ReadAsync();
            packed.Position = 0;
            using (Stream unpacking = gzip.CreateDecompressionStream(packed))
            {
                unpacking.CopyTo(Stream.Null);
            }

            reader.AdvanceTo(read.Buffer.End);
            Assert.Equal(MessageBytes - ServerLimits.ReceiveFreeBytes, _budget.TakenBytes);
            _ = reader.TryRead(out _);
            Assert.Equal(0, _budget.TakenBytes);
        }

        reader.End();
        CountedReader.Current = null;
    }

    /// <summary>As Kestrel's throws once the connection has failed, and its handler has not left yet.</summary>
    [Theory]
    [InlineData(typeof(IOException))]
    [InlineData(typeof(TaskCanceledException))]
    [InlineData(typeof(ObjectDisposedException))]
    public async Task ABodyThatHasEndedEndsNeitherTheSweepOfLateMessagesNorTheStop(Type thrown)
    {
        var time = new MovedTime();
        using var pace = new ReceivePace(time);
        using var state = new ServerState();
        EndedBody[] bodies = [new(thrown), new(thrown)];
        CountedReader[] readers = [.. bodies.Select(body => Begin(MethodType.Unary, body, pace))];
        using CancellationTokenRegistration told = state.Stopping.UnsafeRegister(static reader => ((CountedReader)reader!).CancelPendingRead(), readers[0]);
        Task<ReadResult>[] reads = [.. readers.Select(HalfRead)];
        time.Move(ServerLimits.LargeIdle + TimeSpan.FromMinutes(1));

        pace.EndLate();
        state.Stop();
        Assert.Equal([2, 1], bodies.Select(static body => body.Cancels));
        Array.ForEach(bodies, static body => body.End());
        foreach (Task<ReadResult> read in reads)
        {
            Assert.Equal(StatusCode.DeadlineExceeded, (await Assert.ThrowsAsync<RpcException>(() => read)).StatusCode);
        }

        Array.ForEach(readers, static reader => reader.End());
        Assert.Equal(0, _budget.TakenBytes);
    }

    /// <summary>gRPC makes UNKNOWN of any other exception, and the server's metrics would blame the server.</summary>
    [Theory]
    [InlineData(typeof(IOException))]
    [InlineData(typeof(TaskCanceledException))]
    public async Task WhateverIsAskedOfABodyWhoseClientHasGoneIsCancelled(Type thrown)
    {
        CountedReader reader = Begin(MethodType.Unary, new GoneBody(thrown), _pace);

        Assert.Equal(StatusCode.Cancelled, Assert.Throws<RpcException>(() => reader.TryRead(out _)).StatusCode);
        Assert.Equal(StatusCode.Cancelled, Assert.Throws<RpcException>(() => reader.AdvanceTo(default)).StatusCode);
        Assert.Equal(StatusCode.Cancelled, (await Assert.ThrowsAsync<RpcException>(async () => await reader.ReadAsync())).StatusCode);
        Assert.Equal(StatusCode.Cancelled, (await Assert.ThrowsAsync<RpcException>(async () => await reader.ReadAsync())).StatusCode);
        reader.End();
    }

    [Fact]
    public async Task AReadThatItsCallerCancelsIsCancelledAsAnyOther()
    {
        CountedReader reader = Begin(MethodType.Unary);
        using var cancel = new CancellationTokenSource();
        Task<ReadResult> read = reader.ReadAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();

        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read);
        reader.End();
    }

    // The rest of a message of which half has come.
    private static Task<ReadResult> HalfRead(CountedReader reader)
    {
        Assert.True(reader.TryRead(out ReadResult half));
        reader.AdvanceTo(half.Buffer.Start, half.Buffer.End);
        return reader.ReadAsync().AsTask();
    }

    private CountedReader Begin(MethodType type) => Begin(type, _body.Reader, _pace);

    private CountedReader Begin(MethodType type, PipeReader body, ReceivePace pace) =>
        CountedReader.Begin(body, _budget, pace, new CalledMethod(static _ => Task.CompletedTask, "pile.v1.Entries/Set", type, PileServerAccess.Write, PackedKind.None));

    // As a reader of messages does: looks at what is there, and takes it once it is a whole.
    private async Task TakeAsync(CountedReader reader, bool isAtOnce)
    {
        int pieces = isAtOnce ? 1 : 4;
        for (int piece = 1; piece <= pieces; piece++)
        {
            _ = await _body.Writer.WriteAsync(new byte[MessageBytes / pieces]);
            ReadResult read = await reader.ReadAsync();
            reader.AdvanceTo(piece == pieces ? read.Buffer.End : read.Buffer.Start, read.Buffer.End);
        }
    }

    // Throws at once, and every second read by its task.
    private sealed class GoneBody(Type thrown) : PipeReader
    {
        private int _reads;

        public override void AdvanceTo(SequencePosition consumed) => throw Failure();

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => throw Failure();

        public override void CancelPendingRead() => throw Failure();

        public override void Complete(Exception? exception = null) => throw Failure();

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) =>
            ++_reads % 2 == 0 ? ValueTask.FromException<ReadResult>(Failure()) : throw Failure();

        public override bool TryRead(out ReadResult result) => throw Failure();

        private Exception Failure() => (Exception)Activator.CreateInstance(thrown, "the test wants it so")!;
    }

    // Half a message, and none of its reads can be cancelled.
    private sealed class EndedBody : PipeReader
    {
        private readonly Pipe _pipe = new(new PipeOptions(pauseWriterThreshold: 0));
        private readonly Type _thrown;

        internal EndedBody(Type thrown)
        {
            _thrown = thrown;
            _pipe.Writer.Write(new byte[MessageBytes / 2]);
            _ = _pipe.Writer.FlushAsync().AsTask().IsCompleted;
        }

        internal int Cancels { get; private set; }

        public override void AdvanceTo(SequencePosition consumed) => _pipe.Reader.AdvanceTo(consumed);

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => _pipe.Reader.AdvanceTo(consumed, examined);

        public override void CancelPendingRead()
        {
            Cancels++;
            throw (Exception)Activator.CreateInstance(_thrown, "the test wants it so")!;
        }

        public override void Complete(Exception? exception = null) => _pipe.Reader.Complete(exception);

        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => _pipe.Reader.ReadAsync(cancellationToken);

        public override bool TryRead(out ReadResult result) => _pipe.Reader.TryRead(out result);

        internal void End() => _pipe.Writer.Complete();
    }
}
