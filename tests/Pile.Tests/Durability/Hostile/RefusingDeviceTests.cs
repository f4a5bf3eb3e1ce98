// Pages that a real device refuses, and that leave memory: what LostPagesTests simulates.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

[Trait("Category", "Foreign")]
public sealed class RefusingDeviceTests
{
    private const int Objects = 5000;

    private static readonly PileOptions _options = PileOptions.Tiny with
    {
        MemoryLimitBytes = null,
        DiskLimitBytes = 32 << 20,
        DiskReserveBytes = 0,
        FlushInterval = TimeSpan.FromHours(1),
        BackgroundCleaning = false,
    };

    /// <summary>The next open builds the table.</summary>
    [Theory]
    [InlineData("ext4")]
    [InlineData("xfs")]
    [InlineData("layers")]
    public void NothingIsReadByATableThatCameBackOldAndNothingIsLost(string kind)
    {
        using var device = RefusingDevice.Of(kind, 400);
        ObjectPile pile = ObjectPile.Open(device.Path, _options);
        PilePointer[] pointers = Fill(pile);
        pile.Dispose();
        pile = ObjectPile.Open(device.Path, _options);
        Update(pile, pointers, "second");
        pile.Commit();
        string table = Assert.Single(Directory.GetFiles(device.Path, "table.*"));
        device.FailWriteback(table);
        RefusingDevice.Evict(table);
        AwaitFailure(pile, "writeback of");
        foreach (PilePointer pointer in pointers)
        {
            Assert.False(pile.TryGet(pointer, out string? _, out PileStatus status));
            Assert.Equal(PileStatus.Poisoned, status);
        }

        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        using ObjectPile again = ObjectPile.Open(device.Path, _options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        Assert.All(Enumerable.Range(0, Objects), index => Assert.Equal($"second {index}", again.Get<string>(pointers[index])));
        Assert.True(again.Verify().IsGood);
    }

    [Theory]
    [InlineData("ext4")]
    [InlineData("xfs")]
    [InlineData("layers")]
    public void WhatAnExtentLostIsToldAndNeverAnothers(string kind)
    {
        PileOptions options = _options with { Promise = PilePromise.ProcessSafe };
        using var device = RefusingDevice.Of(kind, 400);
        ObjectPile pile = ObjectPile.Open(device.Path, options);
        PilePointer[] pointers = Fill(pile);
        Update(pile, pointers, "second");
        string extent = Assert.Single(Directory.GetFiles(System.IO.Path.Combine(device.Path, "extents")));
        device.FailWriteback(extent);
        RefusingDevice.Evict(extent);
        AwaitFailure(pile, "writeback of");
        Assert.NotEqual(0, CountLost(pile, pointers, "second"));
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        Assert.Contains("a sync of its files failed above flush", Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(device.Path, options)).Message, StringComparison.Ordinal);
        using ObjectPile again = ObjectPile.Open(device.Path, options with { AcceptLoss = true });
        Assert.All(Enumerable.Range(0, Objects), index => Assert.True(again.Get<string>(pointers[index]) is var text && (text == $"first {index}" || text == $"second {index}")));
    }

    [Theory]
    [InlineData("ext4")]
    [InlineData("xfs")]
    [InlineData("layers")]
    public void AfterAFailedCommitAReadGivesWhatWasStoredOrSaysThatItIsLost(string kind)
    {
        using var device = RefusingDevice.Of(kind, 400);
        ObjectPile pile = ObjectPile.Open(device.Path, _options);
        PilePointer[] pointers = Fill(pile);
        PilePointer[] others = [.. Enumerable.Range(0, Objects).Select(index => pile.Put($"other {index}"))];
        Assert.Equal(0, CountLost(pile, others, "other"));
        device.Refuse(() => _ = Assert.Throws<PilePoisonedException>(pile.Commit));
        RefusingDevice.Evict(Assert.Single(Directory.GetFiles(System.IO.Path.Combine(device.Path, "extents"))));
        Assert.NotEqual(0, CountLost(pile, others, "other"));
        Assert.Equal(0, CountLost(pile, pointers, "first"));
        _ = Assert.ThrowsAny<IOException>(pile.Dispose);
        using ObjectPile again = ObjectPile.Open(device.Path, _options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        Assert.All(Enumerable.Range(0, Objects), index => Assert.Equal($"first {index}", again.Get<string>(pointers[index])));
    }

    private static PilePointer[] Fill(ObjectPile pile)
    {
        PilePointer[] pointers = [.. Enumerable.Range(0, Objects).Select(index => pile.Put($"first {index}"))];
        pile.Commit();
        return pointers;
    }

    private static void Update(ObjectPile pile, PilePointer[] pointers, string word)
    {
        for (int index = 0; index < pointers.Length; index++)
        {
            pile.Update(pointers[index], $"{word} {index}");
        }
    }

    private static int CountLost(ObjectPile pile, PilePointer[] pointers, string word)
    {
        int lost = 0;
        for (int index = 0; index < pointers.Length; index++)
        {
            bool isThere = pile.TryGet(pointers[index], out string? value, out PileStatus status);
            Assert.True(isThere ? value == $"{word} {index}" : status == PileStatus.Corrupted);
            lost += isThere ? 0 : 1;
        }

        return lost;
    }

    private static void AwaitFailure(ObjectPile pile, string what)
    {
        Assert.True(SpinWait.SpinUntil(() => pile.GetStatistics().Failure is not null, TimeSpan.FromSeconds(60)));

        // Waits until it has been told.
        pile.Durable!.Failed.Look(static _ => { });
        Assert.Contains(what, pile.GetStatistics().Failure!.Message, StringComparison.Ordinal);
    }
}
