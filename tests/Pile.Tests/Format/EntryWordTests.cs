using Pile.Format;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Format;

public sealed class EntryWordTests
{
    private const long LocationMax = (1L << EntryWord.LocationBits) - 1;

    [Theory]
    [InlineData(1L, 1u, 0x0000_0180_0000_0001UL)]
    [InlineData(LocationMax, EntryWord.GenerationMax, ulong.MaxValue)]
    [InlineData(0L, EntryWord.GenerationMax, 0xFFFF_FF80_0000_0000UL)]
    public void ALiveEntryYieldsItsParts(long location, uint generation, ulong word)
    {
        ulong entry = EntryWord.Live(location, generation);

        Assert.Equal(word, entry);
        Assert.True(EntryWord.IsLive(entry));
        Assert.Equal(location, EntryWord.Location(entry));
        Assert.Equal(generation, EntryWord.Generation(entry));
    }

    [Fact]
    public void AFreeEntryKeepsItsGenerationAndIsNotLive()
    {
        ulong entry = EntryWord.Free(EntryWord.GenerationMax);

        Assert.False(EntryWord.IsLive(entry));
        Assert.Equal(EntryWord.GenerationMax, EntryWord.Generation(entry));
        Assert.Equal(0, EntryWord.Location(entry));
    }

    [Theory]
    [InlineData(1L, 1u, 0)]
    [InlineData(LocationMax, EntryWord.GenerationMax, 255)]
    [InlineData(5L, 7u, 128)]
    public void AnEntryGivesItsLocationToAPointerOfItsGenerationOnly(long location, uint generation, int tag)
    {
        // What ReadsAtOnce takes off: the pointer without its slot, and with its tag turned, is the generation over a live bit, less the words of the table.
        ulong pointer = PointerWord.Pack(uint.MaxValue, (byte)tag, generation);
        ulong inPlace = ((pointer ^ PointerWord.FrontTag((byte)tag)) >> PointerWord.TagShift) << PointerWord.TagShift;
        ulong end = EntryWord.LiveBit + Limits.TableWordsWhole;

        ulong place = EntryWord.Live(location, generation) - inPlace;

        Assert.Equal((ulong)(Limits.TableWordsWhole + location), place);
        Assert.True(place < end);
        foreach (long other in (long[])[0, location, LocationMax])
        {
            Assert.False(EntryWord.Live(other, generation - 1) - inPlace < end);
            Assert.False(EntryWord.Live(other, (generation + 1) & EntryWord.GenerationMax) - inPlace < end);
            Assert.False(EntryWord.Free(generation - 1, other) - inPlace < end);
            Assert.False(EntryWord.Free((generation + 1) & EntryWord.GenerationMax, other) - inPlace < end);
        }

        // A tombstone, of files, where nothing is read so, may lie anywhere; in memory a free entry has no location.
        Assert.False(EntryWord.Free(generation) - inPlace < end);
        Assert.False(0 - inPlace < end);
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(1u)]
    [InlineData(EntryWord.GenerationMax - 1)]
    public void AFreeSlotsNextObjectHasTheNextGeneration(uint generation)
    {
        ulong live = EntryWord.NextLive(EntryWord.Free(generation));

        Assert.Equal(EntryWord.Live(0, generation + 1), live);
        Assert.Equal(EntryWord.Live(LocationMax, generation + 1), live | (ulong)LocationMax);
        for (int tag = 0; tag <= byte.MaxValue; tag++)
        {
            ulong pointer = PointerWord.PackLive(uint.MaxValue, PointerWord.TurnedTag((byte)tag), live);
            Assert.Equal(PointerWord.Pack(uint.MaxValue, (byte)tag, generation + 1), pointer);
        }
    }

    [Fact]
    public void AMovedEntryDiffersInItsLocationOnly()
    {
        ulong entry = EntryWord.Moved(EntryWord.Live(LocationMax, 5), 9);

        Assert.Equal(EntryWord.Live(9, 5), entry);
    }

    [Fact]
    public void AnEntryMatchesOnlyWhenItIsLiveAndOfThePointersGeneration()
    {
        ulong pointer = PointerWord.Pack(3, 9, 5);

        Assert.True(EntryWord.Matches(EntryWord.Live(77, 5), pointer));
        Assert.False(EntryWord.Matches(EntryWord.Live(77, 6), pointer));
        Assert.False(EntryWord.Matches(EntryWord.Free(5), pointer));
        Assert.False(EntryWord.Matches(0, 0));
    }
}
