using System;
using System.Buffers.Binary;
using System.IO;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>Checkpoint files that say of themselves what can't be.</summary>
public sealed class CheckpointFilesTests : IDisposable
{
    private const uint Number = 7;
    private const int OpenAt = 64;
    private const int SegmentsAt = 68;
    private static readonly MetaSlot _meta = new() { Identity = 0x1234, CheckpointFile = Number, ExtentRows = 3 };
    private readonly TemporaryDirectory _directory = new();

    public CheckpointFilesTests() => Directory.CreateDirectory(_directory.Path);

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(OpenAt)]
    [InlineData(SegmentsAt)]
    public void ListsLongerThanAPileOfItsExtentsCanHaveAskForNoMemory(int at)
    {
        byte[] block = Checkpoint()[..CheckpointHeader.BlockBytes];
        BinaryPrimitives.WriteInt32LittleEndian(block.AsSpan(at), 1_000_000);
        HeaderBlock.Seal(block);
        using (FileStream file = File.Create(InDirectory))
        {
            // Sparse: its length proves nothing.
            file.Write(block);
            file.SetLength(64 << 20);
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        new CheckpointFiles(FileProvider.Default, _directory.Path, _meta).Open(out Checkpoint? checkpoint, out string? problem);
        Assert.Null(checkpoint);
        Assert.NotNull(problem);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1 << 20);
    }

    [Fact]
    public void AsManyAsItCanHaveAreRead()
    {
        File.WriteAllBytes(InDirectory, Checkpoint());
        new CheckpointFiles(FileProvider.Default, _directory.Path, _meta).Open(out Checkpoint? checkpoint, out string? problem);
        Assert.Null(problem);
        using (checkpoint)
        {
            Assert.Equal(_meta.ExtentRows * ExtentHeader.SegmentsMax, checkpoint!.Proven.Length - 1);
        }
    }

    private string InDirectory => Path.Combine(_directory.Path, StoreNames.OfCheckpoint(Number));

    private static byte[] Checkpoint()
    {
        int segments = _meta.ExtentRows * ExtentHeader.SegmentsMax;
        return new CheckpointHeader(_meta.Identity, Number, HighWater: 0, Known: 0, Flush: 5, new OpenSegment[segments + 1], new long[segments], []).ToBytes();
    }
}
