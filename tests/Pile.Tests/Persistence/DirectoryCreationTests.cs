using System;
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>A script of creation, meta writes and new extents, ended at each of its calls: by a kill, by a power cut, by a failure.</summary>
[Trait("Category", "Crash")]
public sealed class DirectoryCreationTests(ITestOutputHelper output)
{
    [Fact]
    public void KilledBeforeAnyCallTheNextOpenFindsWhatWasAcknowledgedOrFinishes()
    {
        int killAt = 1;
        bool ended;
        do
        {
            using var store = new StoreSample();
            store.Simulated.KillAt(killAt);
            var script = new Script();
            ended = script.Run(store, store.Files);
            SimulatedFiles next = store.Simulated.Kill();
            store.Files = next;
            AssertFound(store, next, script);
            killAt++;
        }
        while (!ended);

        Assert.InRange(killAt, 40, 1000);
    }

    [Fact]
    public void KilledAgainWhileItFinishesTheOpenAfterFindsTheSame()
    {
        for (int killAt = 5; killAt < 40; killAt += 3)
        {
            for (int again = 1; again < 20; again += 2)
            {
                using var store = new StoreSample();
                store.Simulated.KillAt(killAt);
                var script = new Script();
                script.Run(store, store.Files);
                SimulatedFiles second = store.Simulated.Kill();
                second.KillAt(again);
                Assert.True(Record.Exception(() => store.Open(second).Dispose()) is null or SimulatedKillException);
                SimulatedFiles third = second.Kill();
                store.Files = third;
                AssertFound(store, third, script);
            }
        }
    }

    [Fact]
    public void CutOffItsPowerBeforeAnyCallTheNextOpenFindsWhatWasAcknowledgedOrFinishes()
    {
        const int Seed = 4711;
        output.WriteLine($"seed {Seed}");
        var random = new Random(Seed);
        int killAt = 1;
        bool ended;
        do
        {
            using var store = new StoreSample();
            store.Simulated.SnapshotsAtCalls = true;
            store.Simulated.KillAt(killAt);
            var script = new Script();
            ended = script.Run(store, store.Files);
            for (int cuts = 0; cuts < 20; cuts++)
            {
                using SimulatedFiles cut = store.Simulated.PowerCut(random);

                // Cut again in the midst of the open that settles it, now and then.
                cut.KillAt(cuts % 2 == 0 ? int.MaxValue : random.Next(1, 40));
                Exception? failure = Record.Exception(() => store.Open(cut).Dispose());
                Assert.True(failure is null or SimulatedKillException, $"{killAt}: {failure}");
                using SimulatedFiles second = cut.PowerCut(random);
                AssertFound(store, second, script);
            }

            killAt++;
        }
        while (!ended);
    }

    [Fact]
    public void EveryCutOfACreationIsFinishedByTheNextOpen()
    {
        int cuts = 0;
        for (int killAt = 6; killAt < 30; killAt++)
        {
            using var store = new StoreSample();
            store.Simulated.KillAt(killAt);
            var script = new Script();
            script.Run(store, store.Files, creationOnly: true);
            foreach (SimulatedFiles cut in store.Simulated.EnumerateCuts(20_000))
            {
                using (cut)
                {
                    AssertFound(store, cut, script);
                    cuts++;
                }
            }
        }

        output.WriteLine($"{cuts} cuts");
        Assert.InRange(cuts, 50, 1_000_000);
    }

    [Fact]
    public void WhatFinishesAKilledCreationIsAsDurableAsAnyOther()
    {
        for (int killAt = 1; killAt < 40; killAt++)
        {
            using var store = new StoreSample();
            store.Simulated.KillAt(killAt);
            new Script().Run(store, store.Files, creationOnly: true);
            using SimulatedFiles next = store.Simulated.Kill();
            var script = new Script();
            Assert.True(script.Run(store, next, creationOnly: true));
            foreach (SimulatedFiles cut in next.EnumerateCuts(10_000))
            {
                using (cut)
                {
                    AssertFound(store, cut, script);
                }
            }
        }
    }

    [Theory]
    [InlineData(PileOpenMode.OpenOrCreate)]
    [InlineData(PileOpenMode.CreateNew)]
    public void WhatOthersDidBeforeTheLockWasTakenIsSeen(PileOpenMode mode)
    {
        using var store = new StoreSample();
        Between(store, () => store.CreateThreeExtents());
        if (mode == PileOpenMode.CreateNew)
        {
            Assert.Contains("holds a pile already", Assert.Throws<IOException>(() => store.Open(mode)).Message, StringComparison.Ordinal);
        }

        using (PileDirectory directory = store.Open())
        {
            Assert.Equal((false, 3), (directory.WasCreated, directory.Extents.Count));
        }

        using var other = new StoreSample();
        Between(other, () => other.Write(other.In("letter.txt"), 0, [1]));
        Assert.Throws<PileFormatException>(() => other.Open(mode));
        Assert.True(other.Files.Exists(other.In("letter.txt")));
    }

    /// <summary>It would end as one that was not closed in order: the file that says so can't be removed or made.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ADirectoryInWhichNothingMayBeMadeIsNotOpenedForWriting(bool isOfExtents)
    {
        using var store = new StoreSample();
        store.Open(PileOpenMode.OpenOrCreate).Dispose();
        string before = store.Simulated.DurableSum();
        int handles = store.Simulated.OpenHandles;
        store.Simulated.Denied = isOfExtents ? store.In(StoreNames.Extents) : store.Path;

        UnauthorizedAccessException failure = Assert.Throws<UnauthorizedAccessException>(() => store.Open(PileOpenMode.OpenOrCreate));
        Assert.Contains($"'{store.Simulated.Denied}'", failure.Message, StringComparison.Ordinal);
        Assert.Equal(before, store.Simulated.DurableSum());
        Assert.Equal(handles, store.Simulated.OpenHandles);
        store.Open(PileOpenMode.ReadOnly).Dispose();
    }

    [Theory]
    [InlineData(nameof(FileFailure.NoSpace))]
    [InlineData(nameof(FileFailure.Other))]
    [InlineData(nameof(FileFailure.Denied))]
    public void WhicheverCallFailsTheFailureIsTypedAndTheNextOpenFindsWhatWasAcknowledged(string kind)
    {
        FileFailure expected = Enum.Parse<FileFailure>(kind);
        foreach (bool forEver in (bool[])[false, true])
        {
            int failAt = 1;
            bool failed;
            do
            {
                using var store = new StoreSample();
                store.Simulated.FailAt(failAt, expected, forEver);
                var script = new Script();
                script.Run(store, store.Files);
                failed = store.Simulated.Calls >= failAt;
                Assert.True(IsTyped(script.Failure, expected), $"{failAt}, {store.Simulated.LastCall}: {script.Failure}");
                SimulatedFiles next = store.Simulated.Kill();
                store.Files = next;
                AssertFound(store, next, script);
                failAt++;
            }
            while (failed);

            Assert.InRange(failAt, 40, 1000);
        }
    }

    [Fact]
    public void ADeviceOfAnySizeIsFilledWithTypedErrorsOnly()
    {
        for (long pages = 0; pages < 20; pages++)
        {
            using var store = new StoreSample();
            store.Simulated.CapacityBytes = pages * 4096;
            var script = new Script();
            script.Run(store, store.Files);
            Assert.True(script.Failure is null or PileFullException or FileCallException { Failure: FileFailure.NoSpace }, $"{pages} pages: {script.Failure}");
            Assert.Equal(pages >= 11, script.Failure is null);
            store.Simulated.CapacityBytes = long.MaxValue;
            AssertFound(store, store.Simulated, script);
        }
    }

    [Fact]
    public void WhatACreationLeftIsReportedWhereNoneMayBeMade()
    {
        int halves = 0;
        for (int killAt = 1; killAt < 30; killAt++)
        {
            using var store = new StoreSample();
            store.Simulated.KillAt(killAt);
            new Script().Run(store, store.Files, creationOnly: true);
            store.Files = store.Simulated.Kill();
            if (store.Files.Exists(store.Path) && !store.Files.Exists(store.In(StoreNames.Meta)))
            {
                SortedDictionary<string, string> before = store.Everything();
                FileNotFoundException failure = Assert.Throws<FileNotFoundException>(() => store.Open(PileOpenMode.OpenExisting));
                Assert.Equal(before.Count > 2, failure.Message.Contains("did not end", StringComparison.Ordinal));
                Assert.Throws<FileNotFoundException>(() => store.Open(PileOpenMode.ReadOnly));
                Assert.Equal(before, store.Everything());
                store.Open(PileOpenMode.CreateNew).Dispose();
                halves++;
            }
        }

        Assert.InRange(halves, 5, 30);
    }

    /// <summary>Does something once, after an open has looked at the directory and before it takes the lock.</summary>
    private static void Between(StoreSample store, Action meanwhile)
    {
        store.Simulated.AtCall = call =>
        {
            if (call == $"open {store.In(StoreNames.Lock)}")
            {
                store.Simulated.AtCall = null;
                meanwhile();
            }
        };
    }

    private static bool IsTyped(Exception? failure, FileFailure expected) => failure is null || expected switch
    {
        FileFailure.NoSpace => failure is PileFullException or FileCallException,
        FileFailure.Denied => failure is UnauthorizedAccessException or FileCallException,
        _ => failure is IOException,
    };

    private static void AssertFound(StoreSample store, SimulatedFiles files, Script script)
    {
        using (PileDirectory directory = store.Open(files))
        {
            Assert.Equal(StoreSample.Identity, directory.Meta.Identity);
            Assert.True(script.Acknowledged == 0 || !directory.WasCreated, "a pile that was acknowledged is gone");
            uint found = directory.Meta.LossAcceptedCount;
            Assert.InRange(found, (uint)int.Max(script.Acknowledged - 1, 0), (uint)script.Acknowledged);
            Assert.Equal(directory.Meta.ExtentRows - 1, directory.Extents.Count);
            Assert.InRange(directory.Extents.Count, script.Extents, script.Extents + 1);
        }

        using PileDirectory again = store.Open(files);
        Assert.False(again.WasCreated);
        StoreSample.Add(again, 1, ExtentKind.Large);
    }

    /// <summary>Creates a pile and writes to it, until a call ends it.</summary>
    private sealed class Script
    {
        /// <summary>The creation, and each meta write that counts, once it has returned.</summary>
        internal int Acknowledged { get; private set; }

        internal int Extents { get; private set; }

        internal Exception? Failure { get; private set; }

        /// <summary>Whether it came to its end.</summary>
        internal bool Run(StoreSample store, FileProvider files, bool creationOnly = false)
        {
            try
            {
                using PileDirectory directory = store.Open(files);
                Acknowledged = 1;
                for (int round = 0; round < 2 && !creationOnly; round++)
                {
                    Count(directory);
                    int row = round + 1;
                    directory.CreateExtent(row, 1, ExtentKind.Segments, 64 << 10);
                    directory.WriteMeta(meta => meta with { ExtentRows = row + 1 });
                    Extents++;
                    Count(directory);
                }

                return true;
            }
            catch (Exception failure) when (failure is SimulatedKillException or IOException or PileException or UnauthorizedAccessException)
            {
                Failure = failure;
                return false;
            }
        }

        private void Count(PileDirectory directory)
        {
            directory.WriteMeta(static meta => meta with { LossAcceptedCount = meta.LossAcceptedCount + 1 });
            Acknowledged++;
        }
    }
}
