using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests;

/// <summary>PreallocationBytes: segments and table that are there before the first Put, and stay.</summary>
public sealed class PreallocationTests
{
    private const long Bytes = 8 << 20;
    private const string Path = "/pile";

    /// <summary>Before and after much was put and deleted, and after Compact, which gives back all that it may.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(PilePromise.ProcessSafe)]
    [InlineData(PilePromise.PowerSafe)]
    public void SegmentsAreThereFromTheBeginningAndStay(PilePromise? promise)
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = new() { PreallocationBytes = Bytes, Promise = promise };
        using ObjectPile pile = promise is null ? ObjectPile.Create(options) : ObjectPile.Open(directory.Path, options);
        AssertKept(pile);
        long table = pile.GetStatistics().TableBytes;
        byte[] payload = new byte[100];
        var pointers = new PilePointer[(Bytes / 128) - 1000]; // The first slots are nobody's.
        foreach (ref PilePointer pointer in pointers.AsSpan())
        {
            pointer = pile.PutBytes(payload);
        }

        Assert.Equal(table, pile.GetStatistics().TableBytes);
        Assert.All(pointers, pointer => Assert.True(pile.Delete(pointer)));
        pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        AssertKept(pile);
        Assert.True(pile.Verify().IsGood);
    }

    /// <summary>What a pile has already counts; an open without the option keeps nothing.</summary>
    [Fact]
    public void AnOpenTakesWhatIsMissing()
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = new() { PreallocationBytes = Bytes, Promise = PilePromise.ProcessSafe };
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            pointer = pile.PutBytes([1, 2, 3]);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            AssertKept(pile);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path, options with { PreallocationBytes = 2 * Bytes }))
        {
            Assert.InRange(pile.GetStatistics().SegmentBytes, Bytes + 1, 2 * Bytes);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path))
        {
            pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
            Assert.InRange(pile.GetStatistics().SegmentBytes, 0, Bytes / 2);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path, options with { OpenMode = PileOpenMode.ReadOnly, Promise = null }))
        {
            Assert.InRange(pile.GetStatistics().SegmentBytes, 0, Bytes / 2);
            Assert.Equal([1, 2, 3], Read(pile, pointer));
        }
    }

    /// <summary>Space that nobody wrote to is the next open's with the option, and the device's again without; the table's stays, for its records that come.</summary>
    [Theory]
    [InlineData(PilePromise.ProcessSafe)]
    [InlineData(PilePromise.PowerSafe)]
    public void WhatNobodyWroteToGoesBackWithAnOpenThatDoesNotWantIt(PilePromise promise)
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = new() { PreallocationBytes = 4 * Bytes, Promise = promise };
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            pointer = pile.PutBytes([1, 2, 3]);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path, options with { OpenMode = PileOpenMode.ReadOnly, PreallocationBytes = 0, Promise = null }))
        {
            Assert.InRange(TakenBytes(), 3 * Bytes, 5 * Bytes);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            Assert.InRange(TakenBytes(), 3 * Bytes, 5 * Bytes);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path))
        {
            Assert.InRange(TakenBytes(), 1, Bytes / 2);
            Assert.Equal([1, 2, 3], Read(pile, pointer));
            byte[] payload = new byte[1000];
            for (int index = 0; index < 2 * Bytes / payload.Length; index++)
            {
                _ = pile.PutBytes(payload);
            }

            Assert.InRange(TakenBytes(), 2 * Bytes, 4 * Bytes);
            Assert.True(pile.Verify().IsGood);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path))
        {
            // When all is counted: of so many beside this thread.
            _ = SpinWait.SpinUntil(() => TakenBytes() <= 3 * Bytes, TimeSpan.FromMinutes(1));
            Assert.InRange(TakenBytes(), 2 * Bytes, 3 * Bytes);
            Assert.True(pile.Verify().IsGood);
        }

        long TakenBytes() => PileInspection.Of(directory.Path, TestContext.Current.CancellationToken).Files
            .Where(static file => file.Kind == PileFileKind.Segments).Sum(static file => file.TakenBytes);
    }

    /// <summary>The limit of a pile for which none is given goes by what is free, and by what files give back.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(64 << 20)]
    public void WhatIsSetAsideIsRoomForTheNextOpen(long bytes)
    {
        using var files = new SimulatedFiles { CapacityBytes = 100 << 20 };
        ObjectPile.Open(Path, new PileOptions { Files = files, PreallocationBytes = 64 << 20, DiskReserveBytes = 0 }).Dispose();
        Assert.InRange(files.FreeBytes(Path), 0, 40 << 20);
        using ObjectPile pile = ObjectPile.Open(Path, new PileOptions { Files = files, PreallocationBytes = bytes, DiskReserveBytes = 0 });
        Assert.InRange(pile.MemoryLimitBytes, 80 << 20, 100 << 20);
        Assert.InRange(pile.GetStatistics().SegmentBytes, bytes / 10 * 9, 66 << 20);
    }

    /// <summary>Nothing but that is kept: a pile that has outgrown it gives back what is above.</summary>
    [Fact]
    public void WhatIsAboveGoesBack()
    {
        using var pile = ObjectPile.Create(new PileOptions { PreallocationBytes = Bytes });
        byte[] payload = new byte[1000];
        var pointers = new PilePointer[4 * Bytes / payload.Length];
        foreach (ref PilePointer pointer in pointers.AsSpan())
        {
            pointer = pile.PutBytes(payload);
        }

        Assert.InRange(pile.GetStatistics().SegmentBytes, 4 * Bytes, long.MaxValue);
        Assert.All(pointers, pointer => Assert.True(pile.Delete(pointer)));
        pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        AssertKept(pile);
    }

    /// <summary>Large objects, and a table of many small ones, take of what is free in segments where the limit has nothing else.</summary>
    [Fact]
    public void WhatElseNeedsMemoryMayHaveIt()
    {
        using var pile = ObjectPile.Create(new PileOptions { PreallocationBytes = Bytes, MemoryLimitBytes = Bytes });
        Assert.InRange(pile.GetStatistics().FreeSegmentBytes, Bytes / 2, Bytes);
        byte[] large = new byte[Bytes / 2];
        new Random(1).NextBytes(large);
        PilePointer pointer = pile.PutBytes(large);
        Assert.Equal(large, Read(pile, pointer));
        for (int index = 0; index < 100_000; index++)
        {
            _ = pile.PutBytes([]);
        }

        Assert.Equal(large, Read(pile, pointer));
        Assert.InRange(pile.GetStatistics().UsedBytes, 0, Bytes);
    }

    /// <summary>A device without so much room is no reason not to open.</summary>
    [Fact]
    public void ADeviceWithoutRoomEndsIt()
    {
        using var files = new SimulatedFiles { CapacityBytes = 4 << 20 };
        using ObjectPile pile = ObjectPile.Open(Path, new PileOptions { Files = files, PreallocationBytes = Bytes, DiskReserveBytes = 0 });
        Assert.InRange(pile.GetStatistics().SegmentBytes, 1 << 20, 4 << 20);
        Assert.Equal([7], Read(pile, pile.PutBytes([7])));
    }

    /// <summary>A token ends the open in its midst, and the directory is free for the next.</summary>
    [Fact]
    public async Task ATokenEndsIt()
    {
        using var source = new CancellationTokenSource();
        using var files = new SimulatedFiles { CapacityBytes = 64 << 20 };
        int allocations = 0;
        files.AtCall = call =>
        {
            if (call.StartsWith("fallocate", StringComparison.Ordinal) && ++allocations == 10)
            {
                source.Cancel();
            }
        };
        PileOptions options = new() { Files = files, PreallocationBytes = 32 << 20 };
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ObjectPile.OpenAsync(Path, options, cancellationToken: source.Token));
        using ObjectPile pile = ObjectPile.Open(Path, options);
        Assert.InRange(pile.GetStatistics().SegmentBytes, 16 << 20, 32 << 20);
    }

    [Theory]
    [InlineData(-1, null, null)]
    [InlineData((2 << 20) + 1, 2 << 20, null)]
    [InlineData((3 << 20) + 1, null, 3 << 20)]
    public void WhatCanNotBeIsRefused(long bytes, int? memoryLimitBytes, int? diskLimitBytes)
    {
        PileOptions options = new() { PreallocationBytes = bytes, MemoryLimitBytes = memoryLimitBytes, DiskLimitBytes = diskLimitBytes };
        ArgumentException refusal = Assert.ThrowsAny<ArgumentException>(diskLimitBytes is null ? options.ValidateForMemory : options.ValidateForFiles);
        Assert.Equal("PreallocationBytes", refusal.ParamName);
        Assert.Contains("PreallocationBytes must be 0", refusal.Message, StringComparison.Ordinal);
    }

    private static byte[] Read(ObjectPile pile, PilePointer pointer)
    {
        using PileLease lease = pile.Lease(pointer);
        return lease.Bytes.ToArray();
    }

    // In whole segments: of a pile of this size they are smaller than an eighth of it.
    private static void AssertKept(ObjectPile pile) => Assert.InRange(pile.GetStatistics().SegmentBytes, Bytes - (Bytes / 8), Bytes);
}
