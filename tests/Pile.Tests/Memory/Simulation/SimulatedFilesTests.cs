using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory.Simulation;

public sealed class SimulatedFilesTests
{
    [Fact]
    public void WhatIsSyncedStaysWhatIsNotMayBeThereSectorBySector()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("AAAA"));
        Assert.Equal(["AAAA"], Cuts(files));

        file.Write(512, Sectors("BA"));
        file.Write(1536, Sectors("C"));
        Assert.Equal(["AAAA", "AAAC", "ABAA", "ABAC"], Cuts(files));
        file.Sync();
        Assert.Equal(["ABAC"], Cuts(files));
    }

    [Fact]
    public void WhatASnapshotSawMayBeThereToo()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("AA"));
        file.Write(0, Sectors("BB"));
        files.Snapshot();
        file.Write(0, Sectors("CB"));
        Assert.Equal(["AA", "AB", "BA", "BB", "CA", "CB"], Cuts(files));
        file.Write(0, Sectors("AA"));
        Assert.Equal(["AA", "AB", "BA", "BB", "CA", "CB"], Cuts(files));
        file.Sync();
        Assert.Equal(["AA"], Cuts(files));
    }

    [Fact]
    public void ASnapshotAtEachCallSeesWhatEveryWriteLeft()
    {
        using var files = new SimulatedFiles { SnapshotsAtCalls = true };
        using StoreFile file = Durable(files, "/f", Sectors("A"));
        file.Write(0, Sectors("B"));
        file.Write(0, Sectors("C"));
        file.Write(0, Sectors("D"));
        Assert.Equal(["A", "B", "C", "D"], Cuts(files));
    }

    [Fact]
    public void AStoreThroughAMappingIsCutAndSyncedLikeAWrite()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("AAAAAAAA"));
        Assert.True(RegionProvider.Default.TryMap(4096, 4096, out Region region));
        file.Map(region.Address, 0, 4096, writable: true);
        var words = new WordArray(region.Address);
        Assert.Equal(0x4141414141414141UL, words.Read(0u));
        for (uint word = 64; word < 128; word++)
        {
            words.WriteRelease(word, 0x4242424242424242);
        }

        byte[] read = new byte[4096];
        file.Read(0, read);
        Assert.Equal("ABAAAAAA", Text(read));
        Assert.Equal(["AAAAAAAA", "ABAAAAAA"], Cuts(files));
        file.Sync();
        Assert.Equal(["ABAAAAAA"], Cuts(files));
        file.Unmap(region.Address, 4096);
        RegionProvider.Default.Unmap(region);
    }

    [Fact]
    public void PagesOfAFailedSyncMayBeReadAsTheDeviceHasThemUnlessTheyWereChangedSince()
    {
        var read = new HashSet<string>();
        for (int seed = 0; seed < 100; seed++)
        {
            using var files = new SimulatedFiles();
            using StoreFile file = Durable(files, "/f", Sectors("AAAAAAAAA"));
            file.Write(0, Sectors("BB"));
            file.Write(4096, Sectors("B"));
            files.FailAt(files.Calls + 1, FileFailure.Other);
            _ = Assert.Throws<FileCallException>(file.Sync);
            file.Write(4096, Sectors("C"));
            files.Reread(new Random(seed));
            byte[] now = new byte[9 * 512];
            file.Read(0, now);
            _ = read.Add(Text(now));
            file.Sync();
            Assert.Equal([Text(now)], Cuts(files));
        }

        Assert.Equal(["AAAAAAAAC", "ABAAAAAAC", "BAAAAAAAC", "BBAAAAAAC"], read.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void AFileThatIsNotSyncedMayHaveAnyLengthItHad()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("A"));
        file.Write(512, Sectors("B"));
        files.Snapshot();
        file.SetBytes(2048);
        Assert.Equal(["A", "A.", "A...", "AB", "AB.."], Cuts(files));
    }

    [Fact]
    public void APunchedStretchMayBeThereOrNot()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("AAAAAAAABBBBBBBB"));
        Assert.True(file.TryPunch(0, 4096));
        HashSet<string> cuts = [.. Cuts(files, most: 300)];
        Assert.Equal(256, cuts.Count);
        Assert.Contains("AAAAAAAABBBBBBBB", cuts);
        Assert.Contains("........BBBBBBBB", cuts);
    }

    [Fact]
    public void ANameThatIsNotSyncedMayBeThereOrNot()
    {
        using var files = new SimulatedFiles();
        files.CreateDirectory("/d");
        using StoreFile first = Durable(files, "/d/a", Sectors("A"));
        Assert.Equal(["", "/d /d/a"], NamesOfCuts(files));
        files.SyncDirectory("/");
        Assert.Equal(["/d /d/a"], NamesOfCuts(files));
        files.Rename("/d/a", "/d/b");
        Assert.Equal(["/d /d/a", "/d /d/b"], NamesOfCuts(files));
        files.Delete("/d/b");
        Assert.Equal(["/d", "/d /d/a", "/d /d/b"], NamesOfCuts(files));
        files.SyncDirectory("/d");
        Assert.Equal(["/d"], NamesOfCuts(files));
    }

    [Fact]
    public void ARenameOverAFileLeavesTheOneOrTheOther()
    {
        using var files = new SimulatedFiles();
        using StoreFile old = Durable(files, "/f", Sectors("A"));
        using StoreFile next = Durable(files, "/g", Sectors("B"));
        files.Rename("/g", "/f");
        Assert.Equal(["A", "B"], Cuts(files));
        Assert.Equal(["/f", "/f /g"], NamesOfCuts(files));
    }

    [Fact]
    public void ChanceLeavesNothingThatCannotBeAndInTheEndEverythingThatCan()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("AAAA"));
        file.Write(0, Sectors("BBBB"));
        files.Snapshot();
        file.Write(512, Sectors("CC"));
        HashSet<string> possible = [.. Cuts(files)];
        Assert.Equal(36, possible.Count);
        var random = new Random(3);
        HashSet<string> met = [];
        for (int cut = 0; cut < 3000; cut++)
        {
            using SimulatedFiles left = files.PowerCut(random);
            met.Add(Content(left));
        }

        Assert.Equal(possible, met);
    }

    [Fact]
    public void TheSameSeedCutsTheSame()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("AAAA"));
        file.Write(0, Sectors("BBBB"));
        Assert.Equal(Of(5), Of(5));
        Assert.NotEqual(Of(5), Of(6));

        string Of(int seed)
        {
            var random = new Random(seed);
            List<string> cuts = [];
            for (int cut = 0; cut < 30; cut++)
            {
                using SimulatedFiles left = files.PowerCut(random);
                cuts.Add(Content(left));
            }

            return string.Join(' ', cuts);
        }
    }

    [Fact]
    public void MoreCutsThanWantedAreAnError()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("AAAA"));
        file.Write(0, Sectors("BBBB"));
        Assert.Equal(16, Cuts(files, most: 16).Count);
        Assert.Throws<InvalidOperationException>(() => Cuts(files, most: 15));
    }

    [Fact]
    public void AfterACutItIsAnotherBootAndNothingIsPending()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("A"));
        Assert.True(file.TryLock(shared: false));
        file.Write(0, Sectors("B"));
        foreach (SimulatedFiles cut in files.EnumerateCuts(2))
        {
            using (cut)
            {
                Assert.NotEqual(files.BootId, cut.BootId);
                Assert.Single(Cuts(cut));
                using StoreFile again = cut.Open("/f", FileOpening.OpenExisting);
                Assert.True(again.TryLock(shared: false));
                Assert.NotEqual(file.Identity, again.Identity);
                again.Write(0, Sectors("C"));
                Assert.Equal(2, Cuts(cut).Count);
            }
        }
    }

    [Fact]
    public void AKilledProcessLeavesWhatItStoredAndItsLocksAreFree()
    {
        using var files = new SimulatedFiles();
        StoreFile file = Durable(files, "/f", Sectors("A"));
        Assert.True(file.TryLock(shared: false));
        file.Write(0, Sectors("B"));
        files.KillAt(files.Calls + 2);
        Assert.True(files.Exists("/f"));
        Assert.Throws<SimulatedKillException>(file.Sync);
        Assert.Throws<SimulatedKillException>(() => files.Open("/f", FileOpening.ReadOnly));
        SimulatedFiles next = files.Kill();
        file.Dispose();
        Assert.Equal((files.BootId, "B"), (next.BootId, Content(next)));
        Assert.Equal(["A", "B"], Cuts(next));
        using StoreFile again = next.Open("/f", FileOpening.OpenExisting);
        Assert.True(again.TryLock(shared: false));
        Assert.Equal(file.Identity, again.Identity);
    }

    [Fact]
    public void ASyncThatFailedIsForgottenUntilTheBytesAreWrittenAgain()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("A"));
        file.Write(0, Sectors("B"));
        files.FailAt(files.Calls + 1, FileFailure.Other);
        Assert.Throws<FileCallException>(file.Sync);
        file.Sync();
        Assert.Equal(["A", "B"], Cuts(files));
        SimulatedFiles next = files.Kill();
        using StoreFile again = next.Open("/f", FileOpening.OpenExisting);
        again.Sync();
        Assert.Equal(["A", "B"], Cuts(next));
        again.Write(0, Sectors("B"));
        again.Sync();
        Assert.Equal(["B"], Cuts(next));
    }

    [Fact]
    public void FailuresComeWhenTheyAreOrderedAndAreCounted()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = Durable(files, "/f", Sectors("A"));
        int calls = files.Calls;
        files.FailAt(calls + 2, FileFailure.NoSpace);
        file.Write(0, [1]);
        Assert.False(file.TryAllocate(0, 4096));
        Assert.True(file.TryAllocate(0, 4096));
        Assert.Equal((calls + 3, "fallocate /f"), (files.Calls, files.LastCall));
        files.FailAt(calls + 4, FileFailure.Other, forEver: true);
        Assert.Throws<FileCallException>(() => file.TryAllocate(0, 4096));
        Assert.Throws<FileCallException>(() => files.List("/"));
    }

    [Fact]
    public void AFullDeviceRefusesSpaceAndGivesBackWhatIsPunched()
    {
        using var files = new SimulatedFiles { CapacityBytes = 4 * 4096 };
        using StoreFile file = Durable(files, "/f", Sectors("A"));
        Assert.Equal(3 * 4096, files.FreeBytes("/"));
        Assert.True(file.TryAllocate(0, 4 * 4096));
        Assert.False(file.TryAllocate(4 * 4096, 1));
        Assert.Equal(FileFailure.NoSpace, Assert.Throws<FileCallException>(() => file.Write(4 * 4096, [1])).Failure);
        Assert.Equal(4 * 4096, file.Bytes);
        Assert.True(file.TryPunch(0, 4096));
        file.Write(4 * 4096, [1]);
        Assert.Equal(0, files.FreeBytes("/"));
    }

    [Fact]
    public void PathsFailAsTheyDoOnADevice()
    {
        using var files = new SimulatedFiles();
        Durable(files, "/f", Sectors("A")).Dispose();
        files.CreateDirectory("/d");
        (Action Call, FileFailure Failure)[] cases =
        [
            (() => files.Open("/none", FileOpening.OpenExisting), FileFailure.Missing),
            (() => files.Open("/none/below", FileOpening.CreateNew), FileFailure.Missing),
            (() => files.Open("/f", FileOpening.CreateNew), FileFailure.Exists),
            (() => files.Open("/d", FileOpening.OpenExisting), FileFailure.WrongKind),
            (() => files.Open("/f/below", FileOpening.CreateNew), FileFailure.WrongKind),
            (() => files.CreateDirectory("/d"), FileFailure.Exists),
            (() => files.CreateDirectory("/none/below"), FileFailure.Missing),
            (() => files.Delete("/none"), FileFailure.Missing),
            (() => files.Rename("/none", "/g"), FileFailure.Missing),
            (() => files.List("/f"), FileFailure.WrongKind),
            (() => files.Exists("/f/below"), FileFailure.WrongKind),
            (() => files.Open("/f", FileOpening.ReadOnly).SetBytes(5), FileFailure.Denied),
        ];
        foreach ((Action call, FileFailure expected) in cases)
        {
            Assert.Equal(expected, Assert.Throws<FileCallException>(call).Failure);
        }
    }

    /// <summary>A file whose name and content are synced.</summary>
    private static StoreFile Durable(SimulatedFiles files, string path, byte[] bytes)
    {
        StoreFile file = files.Open(path, FileOpening.CreateNew);
        file.Write(0, bytes);
        file.Sync();
        files.SyncDirectory(System.IO.Path.GetDirectoryName(path)!);
        return file;
    }

    /// <summary>A sector for each letter.</summary>
    private static byte[] Sectors(string letters) => [.. letters.SelectMany(static letter => Enumerable.Repeat((byte)letter, SimulatedFile.SectorBytes))];

    /// <summary>A letter for each sector, which must be all of that letter; a point for zeros.</summary>
    private static string Text(byte[] bytes) => string.Concat(bytes.Chunk(SimulatedFile.SectorBytes).Select(static sector =>
    {
        Assert.DoesNotContain(sector, value => value != sector[0]);
        return sector[0] == 0 ? '.' : (char)sector[0];
    }));

    private static string Content(SimulatedFiles files)
    {
        using StoreFile file = files.Open("/f", FileOpening.ReadOnly);
        byte[] bytes = new byte[file.Bytes];
        file.Read(0, bytes);
        return Text(bytes);
    }

    /// <summary>The contents of /f after all cuts, in order; those that differ in other files only, once.</summary>
    private static List<string> Cuts(SimulatedFiles files, int most = 100)
    {
        SortedSet<string> cuts = new(StringComparer.Ordinal);
        foreach (SimulatedFiles cut in files.EnumerateCuts(most))
        {
            using (cut)
            {
                cuts.Add(Content(cut));
            }
        }

        return [.. cuts];
    }

    private static List<string> NamesOfCuts(SimulatedFiles files)
    {
        SortedSet<string> cuts = new(StringComparer.Ordinal);
        foreach (SimulatedFiles cut in files.EnumerateCuts(100))
        {
            using (cut)
            {
                List<string> names = [];
                Collect(cut, "/", names);
                cuts.Add(string.Join(' ', names.Order(StringComparer.Ordinal)));
            }
        }

        return [.. cuts];
    }

    private static void Collect(SimulatedFiles files, string directory, List<string> names)
    {
        foreach (string name in files.List(directory))
        {
            string path = System.IO.Path.Combine(directory, name);
            names.Add(path);
            if (name == "d")
            {
                Collect(files, path, names);
            }
        }
    }
}
