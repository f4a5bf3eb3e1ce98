using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>What a pile in files refuses, it refuses by a typed error that says what to do, and stays as it was.</summary>
public sealed class RefusalTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task WhatIsOpenForReadingAloneRefusesUpkeepThatStoresAndReadsOn()
    {
        PilePointer kept;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options() with { Promise = PilePromise.ProcessSafe }))
        {
            PilePointer[] put = [.. Enumerable.Range(0, 5000).Select(index => pile.Put($"object {index}"))];
            Assert.All(put.Where(static (_, index) => index % 5 != 0), pointer => Assert.True(pile.Delete(pointer)));
            kept = put[0];
        }

        using ObjectPile reader = ObjectPile.Open(_directory.Path, Options() with { OpenMode = PileOpenMode.ReadOnly });
        foreach ((string name, Action operation) in new (string, Action)[]
        {
            ("Commit", reader.Commit), ("Compact", () => reader.Compact()), ("Clear", reader.Clear), ("Put", () => reader.Put("more")), ("Set", () => reader.Roots.Set("name", kept)),
        })
        {
            PileException refused = Assert.Throws<PileException>(operation);
            Assert.Equal(PileStatus.ReadOnly, refused.Status);
            Assert.StartsWith(name + ": ", refused.Message, StringComparison.Ordinal);
        }

        PileException late = await Assert.ThrowsAsync<PileException>(async () => await reader.CommitAsync(TestContext.Current.CancellationToken));
        Assert.Equal(PileStatus.ReadOnly, late.Status);
        Assert.Equal("object 0", reader.Get<string>(kept));
        Assert.True(reader.Verify().IsGood);
    }

    /// <summary>The first large object after a kill waits for a flush.</summary>
    [Fact]
    public void ALargeObjectWhoseFlushFailsIsAnsweredByAStatus()
    {
        using var files = new SimulatedFiles();
        using SimulatedFiles killed = Killed();
        using ObjectPile pile = Opened(killed);
        PilePointer there = pile.PutBytes([1]);
        killed.AtCall = static call => throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
        Assert.Equal(PileStatus.Poisoned, pile.TryPutBytes(new byte[20_000], out _));
        Assert.Equal(PileStatus.Poisoned, pile.TryPutBytes(new byte[20_000], out _));
        Assert.Equal(PileStatus.Poisoned, pile.TryUpdateBytes(there, new byte[20_000]));
        _ = Assert.Throws<PilePoisonedException>(() => pile.PutBytes(new byte[20_000]));
        killed.AtCall = null;
        _ = Assert.Throws<IOException>(pile.Dispose);

        static ObjectPile Opened(SimulatedFiles files) =>
            ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1) });

        SimulatedFiles Killed()
        {
            using ObjectPile before = Opened(files);
            _ = before.PutBytes(new byte[20_000]);
            before.Commit();
            return files.Fork();
        }
    }

    [Fact]
    public void EveryWriteAfterAFailedFlushThrowsItsFailure()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1) });
        PilePointer there = pile.PutBytes([1]);
        pile.Roots.Set("root", there);
        files.AtCall = static call => throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
        Exception failure = Assert.Throws<PilePoisonedException>(pile.Commit).InnerException!;
        files.AtCall = null;
        foreach (Action write in new Action[]
        {
            () => pile.Put("more"), () => pile.UpdateBytes(there, [2]), () => pile.Delete(there), () => pile.Roots.Set("root", there), () => pile.Roots.Set("another", there),
            () => pile.Roots.TryExchange("root", default, there), () => pile.Roots.Remove("root"), () => pile.Compact(), pile.Clear, pile.Commit,
        })
        {
            Assert.Same(failure, Assert.Throws<PilePoisonedException>(write).InnerException);
        }

        Assert.True(pile.Roots.TryGet("root", out PilePointer root) && root == there);
        _ = Assert.Throws<IOException>(pile.Dispose);
    }

    [Fact]
    public void AFullPileNamesTheLimitOfItsFiles()
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options() with { DiskLimitBytes = 2 << 20 });
        byte[] bytes = new byte[1000];

        PileFullException full = Assert.Throws<PileFullException>(() =>
        {
            for (int put = 0; put < 10_000; put++)
            {
                _ = pile.PutBytes(bytes);
            }
        });

        Assert.Contains("DiskLimitBytes", full.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("MemoryLimitBytes", full.Message, StringComparison.Ordinal);
        pile.MemoryLimitBytes = 4 << 20;
        Assert.Equal(bytes, pile.Get<byte[]>(pile.PutBytes(bytes)));
    }

    [Fact]
    public void ADamagedObjectAloneIsRefusedAndCanBeDeleted()
    {
        PilePointer damaged;
        PilePointer beside;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options()))
        {
            damaged = pile.Put("the damaged one");
            beside = pile.Put("the one beside");
        }

        Flip("the damaged one"u8);
        using ObjectPile opened = ObjectPile.Open(_directory.Path, Options());
        Assert.Equal(PileOpening.Clean, opened.RecoveryReport().Opening);
        Assert.Equal(damaged, Assert.Throws<PileCorruptedException>(() => opened.Get<string>(damaged)).Pointer);
        Assert.Equal("the one beside", opened.Get<string>(beside));
        Assert.True(opened.Delete(damaged));
        Assert.False(opened.TryLease(damaged, out _, out PileStatus status));
        Assert.Equal(PileStatus.Stale, status);
    }

    [Fact]
    public void DamageThatACrawlMeetsIsRefusedUntilTheLossIsAccepted()
    {
        PilePointer damaged;
        PilePointer beside;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options()))
        {
            damaged = pile.Put("the damaged one");
            beside = pile.Put("the one beside");
        }

        Flip("the damaged one"u8);
        Directory.GetFiles(_directory.Path, "table.*").ToList().ForEach(File.Delete);
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(_directory.Path, Options()));
        Assert.Contains("PileSalvage.Run brings what is whole into a new directory; AcceptLoss = true opens it as it is.", refused.Message, StringComparison.Ordinal);
        using ObjectPile opened = ObjectPile.Open(_directory.Path, Options() with { AcceptLoss = true });
        Assert.Equal($"its table '{Path.Combine(_directory.Path, "table.1")}' is missing", opened.RecoveryReport().Reason);
        Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
        _ = Assert.Single(opened.RecoveryReport().Damages);
        Assert.Equal(damaged, Assert.Throws<PileCorruptedException>(() => opened.Get<string>(damaged)).Pointer);
        Assert.Equal("the one beside", opened.Get<string>(beside));
    }

    /// <summary>An open of a killed pile writes meta once more before it asks for lost pages.</summary>
    [Fact]
    public void AKilledPileThatIsAskedForAnotherPromiseIsLeftAsItWas()
    {
        using var files = new SimulatedFiles();
        PileOptions options = Options() with { Files = files, DiskLimitBytes = 8 << 20 };
        ObjectPile pile = ObjectPile.Open("/above/pile", options);
        _ = pile.Put("an object");
        using SimulatedFiles left = files.Fork();
        pile.Dispose();
        byte[] found = Meta();
        PileException refused = Assert.Throws<PileException>(() => ObjectPile.Open("/above/pile", options with { Files = left, Promise = PilePromise.ProcessSafe }));
        Assert.Equal(PileStatus.Format, refused.Status);
        Assert.Equal(found, Meta());

        byte[] Meta()
        {
            using StoreFile file = left.Open("/above/pile/pile.meta", FileOpening.ReadOnly);
            byte[] bytes = new byte[file.Bytes];
            file.Read(0, bytes);
            return bytes;
        }
    }

    private static PileOptions Options() => PileOptions.Tiny with { MemoryLimitBytes = null };

    /// <summary>Changes one bit of the bytes, where they stand in an extent file.</summary>
    private void Flip(ReadOnlySpan<byte> bytes)
    {
        string path = Assert.Single(Directory.GetFiles(Path.Combine(_directory.Path, "extents")));
        byte[] file = File.ReadAllBytes(path);
        int at = file.AsSpan().IndexOf(bytes);
        Assert.True(at > 0);
        file[at] ^= 0x10;
        File.WriteAllBytes(path, file);
    }
}
