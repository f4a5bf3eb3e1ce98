using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>An entry of a durable table in files whose object was changed as often as there are versions.</summary>
public sealed class DurableVersionTests
{
    [Fact]
    public void AnEntryAtItsLastVersionIsRemovedForGood()
    {
        using TinyCache tiny = new(inFiles: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(DurableTests.Durable);
        Assert.True(table.Set(1, [1]).IsStored);
        ObjectPile pile = tiny.Cache.Pile;
        uint slot = Enumerable.Range(1, 100).Select(static slot => (uint)slot).Single(slot => EntryWord.IsLive(pile.Core.Table.Read(slot)));

        // Of a generation whose lowest bit is clear: what a version carries into it shows.
        long location = EntryWord.Location(pile.Core.Table.Read(slot));
        ForgedRecord.Seal(pile, location, pile.Core.Directory.Space.ReadWord(location), DurableRecord.VersionMax, generation: 2);
        pile.Core.Table.Publish(slot, EntryWord.Live(location, generation: 2u));

        Assert.True(table.Remove(1));
        Assert.False(table.ContainsKey(1));
        tiny.Verify();
    }
}
