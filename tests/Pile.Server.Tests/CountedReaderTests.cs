using System;
using System.IO;
using System.IO.Pipelines;
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

    private CountedReader Begin(MethodType type) => CountedReader.Begin(
        _body.Reader, _budget, _pace, new CalledMethod(static _ => Task.CompletedTask, "pile.v1.Entries/Set", type, PileServerAccess.Write, PackedKind.None));

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
}
