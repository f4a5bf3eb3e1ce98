using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>What an open after a failed sync writes again.</summary>
public sealed class WrittenAgainTests : IDisposable
{
    private const string Path = "/pile";
    private const int LargeBytes = 200_000;
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void PagesThatManyDescriptorsNameAreWrittenOnce()
    {
        string extent = Make(descriptors: 50, out PilePointer large);
        int writes = 0;
        _files.AtCall = call => writes += call == $"pwrite {extent}" ? 1 : 0;
        using ObjectPile pile = Open();
        _files.AtCall = null;
        Assert.Contains("a sync failed", pile.RecoveryReport().Reason, StringComparison.Ordinal);
        Assert.Equal(LargeBytes, pile.Get<byte[]>(large).Length);

        // The header, and the pages.
        Assert.Equal(2, writes);
    }

    [Fact]
    public async Task ItEndsWhenTheOpenIsCancelledAndTheNextOpenDoesItAnew()
    {
        string extent = Make(descriptors: 0, out PilePointer large);
        using var cancelling = new CancellationTokenSource();
        bool isWritten = false;
        _files.AtCall = call =>
        {
            isWritten |= call == $"pwrite {extent}" && cancelling.IsCancellationRequested;
            if (call == $"pwrite {Path}/extents/{StoreNames.OfExtent(1)}")
            {
                cancelling.Cancel();
            }
        };
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await using ObjectPile cancelled = await ObjectPile.OpenAsync(Path, Options(), cancellationToken: cancelling.Token);
        });
        _files.AtCall = null;
        Assert.False(isWritten);
        using ObjectPile pile = Open();
        Assert.Contains("a sync failed", pile.RecoveryReport().Reason, StringComparison.Ordinal);
        Assert.Equal(LargeBytes, pile.Get<byte[]>(large).Length);
    }

    /// <summary>A pile that was closed, and whose meta says that a sync had failed before.</summary>
    /// <param name="descriptors">How many descriptors are made to name the large object's pages too.</param>
    /// <param name="large">A large object.</param>
    /// <returns>The file of its pages.</returns>
    private string Make(int descriptors, out PilePointer large)
    {
        string extent;
        using (ObjectPile pile = Open())
        {
            FlatSpace space = pile.Core.Directory.Space;
            large = pile.PutBytes(new byte[LargeBytes]);
            LargeDescriptor run = LargeDescriptor.Read(space.Bytes(ForgedRecord.LocationOf(pile, large), DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
            extent = $"{Path}/extents/{StoreNames.OfExtent((int)(run.RunLocation >> Limits.ExtentShiftWords))}";
            foreach (PilePointer pointer in Enumerable.Range(0, descriptors).Select(_ => pile.PutBytes(new byte[20_000])).ToArray())
            {
                long location = ForgedRecord.LocationOf(pile, pointer);
                run.Write(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
                ForgedRecord.Seal(pile, location, space.ReadWord(location));
            }
        }

        using var meta = MetaFile.Open(_files, $"{Path}/{StoreNames.Meta}", readOnly: false);
        meta.Write(meta.Slot with { SyncFailedAboveFlush = 0, TableTrusted = false });
        return extent;
    }

    private PileOptions Options() => PileOptions.Tiny with { Files = _files, MemoryLimitBytes = null, DiskLimitBytes = 16 << 20, FlushInterval = TimeSpan.FromHours(1) };

    private ObjectPile Open() => ObjectPile.Open(Path, Options());
}
