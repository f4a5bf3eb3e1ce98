using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Cache.Engine;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Entries of before the open whose bytes have changed are never shown, by whatever way they are come upon.</summary>
public sealed class DamageTests
{
    private const int Keys = 1500;
    private const int ValueBytes = 80;

    [Fact]
    public void AListLeavesDamagedEntriesOut()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        Damage(table, static key => key % 7 == 0);
        int listed = 0;
        foreach ((int key, byte[] value) in table.Enumerate())
        {
            Assert.Equal(RestartTests.Value(key, ValueBytes), value);
            listed++;
        }

        Assert.Equal(Enumerable.Range(0, Keys).Count(static key => key % 7 != 0), listed);
    }

    [Fact]
    public void TheCleanerDropsDamagedEntriesInsteadOfCopyingThem()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        Damage(table, static key => key % 7 == 0);
        for (int key = 0; key < Keys; key++)
        {
            if (key % 3 != 0)
            {
                table.Remove(key);
            }
        }

        _ = second.Cache.Pile.Compact(1.05, TestContext.Current.CancellationToken);
        int there = 0;
        for (int key = 0; key < Keys; key++)
        {
            if (table.TryGet(key, out byte[]? value))
            {
                Assert.Equal(RestartTests.Value(key, ValueBytes), value);
                Assert.True(key % 7 != 0 && key % 3 == 0, $"key {key}");
                there++;
            }
        }

        Assert.Equal(Enumerable.Range(0, Keys).Count(static key => key % 7 != 0 && key % 3 == 0), there);
        Assert.True(table.Count < Enumerable.Range(0, Keys).Count(static key => key % 3 == 0), "nothing was cleaned");
    }

    private static void Fill(SimulatedFiles files)
    {
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>();
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, RestartTests.Value(key, ValueBytes)).IsStored);
        }
    }

    /// <summary>Changes the last byte of the values of some keys.</summary>
    private static void Damage(PileTable<int, byte[]> table, Predicate<int> isChosen)
    {
        TableCore<DurableRecord> core = ((IPileTableCore)table).Core.Files!;
        List<long> locations = [];
        core.Walk.List(0, core.Index.Homes, core.Index.Homes, locations);
        Assert.Equal(Keys, locations.Count);
        FlatSpace space = core.Space;
        foreach (long location in locations)
        {
            int payloadBytes = RecordWord.PayloadBytes(space.ReadWord(location));
            if (isChosen(BinaryPrimitives.ReadInt32LittleEndian(core.Reads.KeyAt(location))))
            {
                space.Bytes(location, DurableRecord.HeaderBytes, payloadBytes)[^1] ^= 0x10;
            }
        }
    }
}
