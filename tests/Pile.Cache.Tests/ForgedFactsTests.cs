using System;
using System.IO;
using Pile.Cache.Engine;
using Pile.Cache.Files;
using Pile.Cache.Tests.Model;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>What a close has noted, with other numbers under a right checksum: nothing that the cache was never given is touched.</summary>
public sealed class ForgedFactsTests
{
    [Fact]
    public void AnObjectOfTheProgramThatIsSaidToBeSharedStays()
    {
        using var files = new SimulatedFiles();
        PilePointer own;
        PilePointer shared;
        using (var first = new MappedCache(files))
        {
            own = first.Cache.Pile.Put("own");
            shared = first.Cache.Pile.Put("shared");
            first.Cache.GetOrCreateTable<int, string>("texts").SetPointer(1, shared);
        }

        Forge(files, facts => facts with { Shared = [.. facts.Shared, new SharedObject(own.Word, 0, facts.Shared[0].Mark, IsOwned: true, 0, 0)] });
        using var second = new MappedCache(files);
        PointerRestartTests.Settle(second);
        Assert.Equal("own", second.Cache.Pile.Get<string>(own));
        Assert.True(second.Cache.GetOrCreateTable<int, string>("texts").TryGet(1, out string? text));
        Assert.Equal("shared", text);
        Assert.Equal(1, second.Cache.Core.Shared.Count);
    }

    [Theory]
    [InlineData(uint.MaxValue)]
    [InlineData(0u)]
    public void ABucketThatIsSaidToBeFreeAndCanNotBeIsNotUsed(uint bucket)
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, int> table = first.Table<int, int>();
            for (int key = 0; key < 100; key++)
            {
                table.Set(key, key);
            }
        }

        Forge(files, facts => facts with { Tables = facts.Tables.ConvertAll(table => table with { Free = [bucket] }) });
        using var second = new MappedCache(files);
        Assert.False(Assert.Single(second.Cache.Recovery).IsKept);
        PileTable<int, int> again = second.Table<int, int>();
        for (int key = 0; key < 10_000; key++)
        {
            Assert.True(again.Set(key, key).IsStored);
        }

        for (int key = 0; key < 10_000; key++)
        {
            Assert.True(again.TryGet(key, out int value) && value == key);
        }
    }

    private static void Forge(SimulatedFiles files, Func<CacheFacts, CacheFacts> change)
    {
        byte[] bytes;
        using (StoreFile file = files.Open(Path.Combine(MappedCache.Directory, StoreNames.CacheFacts), FileOpening.ReadOnly))
        {
            bytes = new byte[file.Bytes];
            file.Read(0, bytes);
        }

        Assert.True(CacheFacts.TryRead(bytes, out CacheFacts? facts, out _));
        SideFiles.Write(files, MappedCache.Directory, StoreNames.CacheFacts, change(facts).ToBytes());
    }
}
