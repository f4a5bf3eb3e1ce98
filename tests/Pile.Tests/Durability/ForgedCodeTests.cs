using System;
using System.IO;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A descriptor that is whole by its checksums, of a code that no large object has.</summary>
public sealed class ForgedCodeTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    private static PileOptions Options => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1), WritersMax = 1 };

    private string Source => Path.Combine(_directory.Path, "source");

    public void Dispose() => _directory.Dispose();

    /// <summary>The length is a multiple of 16, so that what a code is too large by would be added to it.</summary>
    [Theory]
    [InlineData(0xF1)]
    [InlineData(0)]
    [InlineData((int)RecordCode.Large)]
    public void ADescriptorOfNoLaneLeadsNowhere(int code)
    {
        PilePointer forged;
        const int Bytes = 4096;
        using (ObjectPile pile = ObjectPile.Open(Source, Options))
        {
            forged = pile.PutBytes(new byte[20_000]);
            FlatSpace space = pile.Core.Directory.Space;
            long location = ForgedRecord.LocationOf(pile, forged);
            long large = LargeDescriptor.Read(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes)).RunLocation;
            long row = large >> Limits.ExtentShiftWords;
            long run = ((row + 1) << Limits.ExtentShiftWords) - (Limits.OsPageBytes / Limits.WordBytes);
            Span<byte> descriptor = space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes);
            new LargeDescriptor(run, Bytes, (RecordCode)code, Crc32C.Compute(new byte[Bytes])).Write(descriptor);
            ForgedRecord.Seal(pile, location, space.ReadWord(location));
        }

        using ObjectPile opened = ObjectPile.Open(Source, Options);
        Assert.False(opened.TryLease(forged, out _, out PileStatus status));
        Assert.Equal(PileStatus.Corrupted, status);
        Assert.False(opened.Verify().IsGood);
    }
}
