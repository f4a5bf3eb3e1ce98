using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class MetaFileTests
{
    [Fact]
    public void EveryWriteIsFoundAgainWithTheNextSequence()
    {
        using var store = new StoreSample();
        for (int round = 0; round < 5; round++)
        {
            using PileDirectory directory = store.Open();
            for (uint write = 0; write < 3; write++)
            {
                directory.WriteMeta(static meta => meta with { LossAcceptedCount = meta.LossAcceptedCount + 1, Sequence = 77 });
                Assert.Equal(((round * 3) + write + 2, (uint)(round * 3) + write + 1), (directory.Meta.Sequence, directory.Meta.LossAcceptedCount));
            }
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void OneDamagedSlotLosesNothingAndIsReportedOnce(int writes)
    {
        for (int slot = 0; slot < 2; slot++)
        {
            foreach (int offset in (int[])[0, 56, 160, 2000, 4095])
            {
                using var store = new StoreSample();
                MetaSlot expected;
                using (PileDirectory directory = store.Open())
                {
                    for (int write = 0; write < writes; write++)
                    {
                        directory.WriteMeta(static meta => meta with { LossAcceptedCount = meta.LossAcceptedCount + 1 });
                    }

                    expected = directory.Meta;
                }

                store.Flip(store.In(StoreNames.Meta), (slot * MetaSlot.Bytes) + offset);
                using (PileDirectory directory = store.Open())
                {
                    Assert.Equal(expected, directory.Meta);
                    Assert.Contains(slot == 0 ? "first slot" : "second slot", directory.MetaDamage, StringComparison.Ordinal);
                }

                using PileDirectory mended = store.Open();
                Assert.Equal(expected, mended.Meta);
                Assert.Null(mended.MetaDamage);
            }
        }
    }

    [Theory]
    [InlineData(PileOpenMode.OpenOrCreate)]
    [InlineData(PileOpenMode.OpenExisting)]
    [InlineData(PileOpenMode.ReadOnly)]
    public void TwoDamagedSlotsAreAFormatErrorAndNothingIsTouched(PileOpenMode mode)
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Flip(store.In(StoreNames.Meta), 1000);
        store.Flip(store.In(StoreNames.Meta), 5000);
        AssertRefused(store, mode, "first", "second");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    [InlineData(8191)]
    [InlineData(8193)]
    public void AnotherLengthIsAFormatError(long bytes)
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Resize(store.In(StoreNames.Meta), bytes);
        AssertRefused(store, PileOpenMode.OpenOrCreate, $"{bytes} bytes instead of 8192");
    }

    [Fact]
    public void ANewerVersionAndUnknownFeaturesAreRefusedAndNothingIsTouched()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        Assert.True(MetaSlot.TryRead(store.Bytes(store.In(StoreNames.Meta)).AsSpan(0, MetaSlot.Bytes), out MetaSlot? original, out _));
        Rewrite(store, original, FormatFeatures.Current with { Version = 2 });
        AssertRefused(store, PileOpenMode.OpenOrCreate, "version 2");
        AssertRefused(store, PileOpenMode.ReadOnly, "version 2");
        Rewrite(store, original, FormatFeatures.Current with { Incompatible = 1UL << 40 });
        AssertRefused(store, PileOpenMode.OpenOrCreate, "incompatible bit 40");
        AssertRefused(store, PileOpenMode.ReadOnly, "incompatible bit 40");
        Rewrite(store, original, FormatFeatures.Current with { ReadOnlyCompatible = 1 });
        AssertRefused(store, PileOpenMode.OpenOrCreate, "read-only-compatible bit 0");
        store.Open(PileOpenMode.ReadOnly).Dispose();
        Rewrite(store, original, FormatFeatures.Current with { Compatible = 5 });
        using PileDirectory directory = store.Open();
        directory.WriteMeta(static meta => meta);
        Assert.Equal(5UL, directory.Meta.Features.Compatible);
    }

    [Fact]
    public void SlotsOfTwoPilesAreRefused()
    {
        using var store = new StoreSample();
        store.Open().Dispose();
        byte[] bytes = new byte[MetaSlot.Bytes];
        (StoreSample.Created with { Identity = 6, Sequence = 9 }).Write(bytes);
        store.Write(store.In(StoreNames.Meta), MetaSlot.Bytes, bytes);
        AssertRefused(store, PileOpenMode.OpenOrCreate, "two piles");
    }

    [Fact]
    public void AfterAFailedSyncEitherHoldsAndTheNextWriteIsDurable()
    {
        using var store = new StoreSample();
        SimulatedFiles files = store.Simulated;
        PileDirectory directory = store.Open();
        Raise(directory);
        files.FailAt(files.Calls + 2, FileFailure.Other);
        Assert.Throws<FileCallException>(() => Raise(directory));
        Assert.Equal(1u, directory.Meta.LossAcceptedCount);
        AssertCuts(store, files, 1, 2);

        // The process ends; the next one sees pages that the system takes for written, and must not build on them.
        SimulatedFiles next = files.Kill();
        store.Files = next;
        PileDirectory again = store.Open();
        uint seen = again.Meta.LossAcceptedCount;
        AssertCuts(store, next, seen, seen);
        next.KillAt(next.Calls + 5);
        Assert.Throws<SimulatedKillException>(() =>
        {
            Raise(again);
            Raise(again);
        });
        AssertCuts(store, next, seen + 1, seen + 2);
    }

    [Fact]
    public void WhateverIsCutAWriteThatReturnedHolds()
    {
        using var store = new StoreSample();
        SimulatedFiles files = store.Simulated;
        files.SnapshotsAtCalls = true;
        using PileDirectory directory = store.Open();
        for (uint done = 0; done < 4; done++)
        {
            AssertCuts(store, files, done, done);
            files.FailAt(files.Calls + 2, FileFailure.Other);
            Assert.Throws<FileCallException>(() => Raise(directory));
            AssertCuts(store, files, done, done + 1);
            Raise(directory);
        }
    }

    private static void Raise(PileDirectory directory) =>
        directory.WriteMeta(static meta => meta with { LossAcceptedCount = meta.LossAcceptedCount + 1 });

    /// <summary>After any power cut now, a count from least to most is found, and the second open finds what the first has found.</summary>
    private static void AssertCuts(StoreSample store, SimulatedFiles files, uint least, uint most)
    {
        HashSet<uint> found = [];
        foreach (SimulatedFiles cut in files.EnumerateCuts(10_000))
        {
            uint first;
            using (PileDirectory directory = store.Open(cut, PileOpenMode.OpenExisting))
            {
                first = directory.Meta.LossAcceptedCount;
                Assert.InRange(first, least, most);
                found.Add(first);
            }

            foreach (SimulatedFiles second in cut.EnumerateCuts(100))
            {
                using (second)
                {
                    using PileDirectory directory = store.Open(second, PileOpenMode.OpenExisting);
                    Assert.Equal(first, directory.Meta.LossAcceptedCount);
                }
            }

            cut.Dispose();
        }

        Assert.Contains(least, found);
    }

    private static void AssertRefused(StoreSample store, PileOpenMode mode, params string[] said)
    {
        SortedDictionary<string, string> before = store.Everything();
        PileFormatException failure = Assert.Throws<PileFormatException>(() => store.Open(mode));
        Assert.Equal((PileStatus.Format, store.In(StoreNames.Meta)), (failure.Status, failure.Path));
        Assert.All(said, text => Assert.Contains(text, failure.Message, StringComparison.Ordinal));
        Assert.Equal(before, store.Everything());
    }

    private static void Rewrite(StoreSample store, MetaSlot original, FormatFeatures features)
    {
        byte[] bytes = new byte[2 * MetaSlot.Bytes];
        MetaSlot changed = original with { Features = features };
        changed.Write(bytes);
        changed.Write(bytes.AsSpan(MetaSlot.Bytes));
        store.Write(store.In(StoreNames.Meta), 0, bytes);
    }
}
