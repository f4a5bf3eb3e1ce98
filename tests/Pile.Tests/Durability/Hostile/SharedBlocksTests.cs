using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>File systems that copy on write: on a full one a store into a block that two files share, or that is never written in place, was a signal that ended the process.</summary>
[Trait("Category", "Foreign")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class SharedBlocksTests
{
    private const UnixFileMode GroupReads = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;
    private const int Objects = 4_000;
    private static readonly PileOptions _options = HostileDirectory.Options with { FlushInterval = TimeSpan.FromMilliseconds(10), WritersMax = 1, DiskLimitBytes = 64 << 20 };

    [Theory]
    [InlineData(PilePromise.PowerSafe, false)]
    [InlineData(PilePromise.ProcessSafe, false)]
    [InlineData(PilePromise.PowerSafe, true)]
    public void BlocksSharedWithACopyAreMadeThePilesOwnByTheOpen(PilePromise promise, bool inContainer)
    {
        using SmallDevice device = inContainer ? SmallDevice.OfLayersOnXfs(320) : SmallDevice.OfXfs(320);
        PileOptions options = _options with { Promise = promise };
        List<PilePointer> kept = Make(device.Path, options);
        device.CopyByReference();
        device.Fill(back: 1 << 20);
        IsRefused(device, options, kept, "shares blocks with a copy");
        WriteWhileFull(device, options, kept);
    }

    [Theory]
    [InlineData(PilePromise.PowerSafe, false)]
    [InlineData(PilePromise.ProcessSafe, false)]
    [InlineData(PilePromise.PowerSafe, true)]
    public void FilesAreStoredIntoInPlaceWhereTheFileSystemCopiesEachBlockElse(PilePromise promise, bool isCompressed)
    {
        using SmallDevice device = SmallDevice.OfBtrfs(320);
        if (isCompressed)
        {
            device.Compress();
        }

        PileOptions options = _options with { Promise = promise };
        List<PilePointer> kept = Make(device.Path, options);
        WriteWhileFull(device, options, kept);
    }

    [Theory]
    [InlineData(PilePromise.PowerSafe)]
    [InlineData(PilePromise.ProcessSafe)]
    public void FilesThatAnotherProgramBroughtAreMadeAnewByTheOpenAndStoredIntoInPlace(PilePromise promise)
    {
        using SmallDevice device = SmallDevice.OfBtrfs(320);
        PileOptions options = _options with { Promise = promise };
        List<PilePointer> kept = Make(device.Path, options);
        device.BringBack();
        string extent = Directory.GetFiles(Path.Combine(device.Path, "extents"))[0];
        File.WriteAllText(extent + ".inplace", "of an open that was killed");
        File.SetUnixFileMode(extent, GroupReads);
        device.Fill(back: 3 << 20);
        IsRefused(device, options, kept, "another program brought it there");
        WriteWhileFull(device, options, kept);
        Assert.Equal(GroupReads, File.GetUnixFileMode(extent));
        Assert.Empty(Directory.GetFiles(device.Path, "*.inplace", SearchOption.AllDirectories));
    }

    /// <summary>The lock of pile.meta is one of the file that is there, not of the one that takes its place.</summary>
    [Fact]
    public void WhatAnotherProgramBroughtIsNotMadeAnewBesideAReaderWhoseLockFileIsGone()
    {
        using SmallDevice device = SmallDevice.OfBtrfs(320);
        List<PilePointer> kept = Make(device.Path, _options);
        device.BringBack();
        using (ObjectPile reader = ObjectPile.Open(device.Path, _options with { OpenMode = PileOpenMode.ReadOnly }))
        {
            File.Delete(Path.Combine(device.Path, "lock"));
            _ = Assert.Throws<PileLockedException>(() => ObjectPile.Open(device.Path, _options));
            Check(reader, kept);
        }

        using ObjectPile pile = ObjectPile.Open(device.Path, _options);
        Check(pile, kept);
    }

    /// <summary>Of a quota the system's free bytes do not tell, and stores into pages that have their space take of it: used up by the pile alone, it ended the process.</summary>
    [Theory]
    [InlineData(PilePromise.PowerSafe)]
    [InlineData(PilePromise.ProcessSafe)]
    public void AQuotaOfASubvolumeIsADeviceThatIsNeverFilled(PilePromise promise)
    {
        const long QuotaBytes = 160L << 20;
        using SmallDevice device = SmallDevice.OfBtrfs(1_000);
        device.LimitByQuota((int)(QuotaBytes >> 20));
        PileOptions options = _options with { Promise = promise, DiskLimitBytes = 1L << 30, DiskReserveBytes = 12 << 20 };
        List<PilePointer> kept = [];
        using (ObjectPile pile = ObjectPile.Open(device.Path, options))
        {
            Assert.InRange(pile.GetStatistics().DiskFreeBytes!.Value, 1, QuotaBytes);
            PileFullException full = Assert.Throws<PileFullException>(() => FillUp(pile, kept));
            Assert.Contains("DiskReserveBytes = 12,582,912", full.Message, StringComparison.Ordinal);

            // The cleaner may have made room again, and what the quota holds is told late.
            Assert.True(SpinWait.SpinUntil(() => pile.GetStatistics().IsDiskLow || (Record.Exception(() => FillUp(pile, kept)) is not null && pile.GetStatistics().IsDiskLow), TimeSpan.FromMinutes(1)));
            for (int turn = 0; turn < 10; turn++)
            {
                // What is stored into again takes of the quota, and so does the cleaner.
                Assert.All(kept[^1_000..], pointer => Assert.True(pile.Delete(pointer)));
                kept.RemoveRange(kept.Count - 1_000, 1_000);
                WriteAll(pile, kept);
                _ = Record.Exception(() => FillUp(pile, kept));
            }

            Assert.True(pile.Verify().IsGood);
        }

        using (ObjectPile unlimited = ObjectPile.Open(device.Path, options with { DiskLimitBytes = null }))
        {
            Assert.InRange(unlimited.MemoryLimitBytes, 1, QuotaBytes);
            Assert.True(unlimited.Verify().IsGood);
        }
    }

    private static void FillUp(ObjectPile pile, List<PilePointer> kept)
    {
        while (true)
        {
            kept.Add(pile.PutBytes(Content.Make(1, kept.Count, 1_000)));
        }
    }

    private static void IsRefused(SmallDevice device, PileOptions options, List<PilePointer> kept, string reason)
    {
        PileFullException refused = Assert.Throws<PileFullException>(() => ObjectPile.Open(device.Path, options));
        Assert.True(refused.Message.Contains(reason, StringComparison.Ordinal), refused.ToString());
        using (ObjectPile reader = ObjectPile.Open(device.Path, options with { OpenMode = PileOpenMode.ReadOnly }))
        {
            Check(reader, kept);
        }

        device.Leave(long.MaxValue);
    }

    private static List<PilePointer> Make(string path, PileOptions options)
    {
        using ObjectPile pile = ObjectPile.Open(path, options);
        return [.. Enumerable.Range(0, Objects).Select(number => pile.PutBytes(Content.Make(1, number, 1_000)))];
    }

    private static void Check(ObjectPile pile, List<PilePointer> kept) =>
        Assert.All(kept.Index(), entry => Assert.Equal(Content.Make(1, entry.Index, 1_000), pile.Get<byte[]>(entry.Item)));

    private static void WriteWhileFull(SmallDevice device, PileOptions options, List<PilePointer> kept)
    {
        using (ObjectPile pile = ObjectPile.Open(device.Path, options))
        {
            device.Fill();
            WriteAll(pile, kept);
            device.Leave(long.MaxValue);
        }

        using ObjectPile again = ObjectPile.Open(device.Path, options);
        Assert.True(again.Verify().IsGood);
        Assert.All(kept, pointer => Assert.Equal(1_000, again.Get<byte[]>(pointer)!.Length));
    }

    /// <summary>Stores into all that there is, and as much more as there is room for.</summary>
    private static void WriteAll(ObjectPile pile, List<PilePointer> kept)
    {
        try
        {
            for (int number = 0; number < 20 * Objects; number++)
            {
                pile.UpdateBytes(kept[number % Objects], Content.Make(1, number, 1_000));
            }
        }
        catch (PileFullException)
        {
            // What has no room is refused by name.
        }
    }
}
