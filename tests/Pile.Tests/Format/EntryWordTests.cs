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
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(255)]
    public void WhatALiveEntryAddsUpToIsNearForAPointerOfItsOwnOnly(int tag)
    {
        const ulong Table = (ulong)Limits.TableWordsWhole;
        uint[] generations = [1, 2, 127, 128, 129, 255, 256, 1 << 23, EntryWord.GenerationLast];
        foreach (uint generation in generations)
        {
            foreach (long location in (long[])[1, 77, (long)Table - 1])
            {
                foreach (uint other in (uint[])[.. generations, generation + 1, generation - 1])
                {
                    for (int otherTag = 0; otherTag <= byte.MaxValue; otherTag++)
                    {
                        ulong pointer = PointerWord.Pack(uint.MaxValue, (byte)otherTag, other);
                        ulong place = Place(EntryWord.Live(location, generation), pointer, (byte)tag);

                        Assert.Equal(other == generation && otherTag == tag, place > ulong.MaxValue - Table);
                        Assert.True(other != generation || otherTag != tag || place + Table == (ulong)location);
                    }
                }
            }
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(64)]
    [InlineData(127)]
    public void WhatAnEntryThatIsNotLiveAddsUpToIsNearAtLocation0Alone(int tag)
    {
        const ulong Table = (ulong)Limits.TableWordsWhole;
        int near = 0;
        foreach (uint generation in (uint[])[0, 1, 5, EntryWord.GenerationLast, EntryWord.GenerationMax])
        {
            foreach (uint other in (uint[])[1, 4, 5, 6, EntryWord.GenerationLast])
            {
                for (int otherTag = 0; otherTag <= byte.MaxValue; otherTag++)
                {
                    ulong pointer = PointerWord.Pack(3, (byte)otherTag, other);
                    ulong place = Place(EntryWord.Free(generation), pointer, (byte)tag);
                    near += place > ulong.MaxValue - Table ? 1 : 0;
                    Assert.True(place <= ulong.MaxValue - Table || place + Table == 0);

                    // A schema's record may lie anywhere, and matches nobody's pointer.
                    Assert.False(Place(EntryWord.Internal(77), pointer, (byte)tag) > ulong.MaxValue - Table);
                }
            }
        }

        // There are such pointers, of another pile, so that location 0 has to be told.
        Assert.True(near > 0);
    }

    [Theory]
    [InlineData(1L, 1u, 0)]
    [InlineData(LocationMax, EntryWord.GenerationLast, 255)]
    [InlineData(5L, 7u, 128)]
    public void WhatAnEntryAddsUpToIsBelowTheEndOfLocationsForAPointerOfItsGenerationOnly(long location, uint generation, int tag)
    {
        // As ReadsAtOnce looks at it where records may lie behind the table, once the pointer's tag is known to be the pile's.
        ulong pointer = PointerWord.Pack(uint.MaxValue, (byte)tag, generation);

        Assert.Equal((ulong)location, Location(EntryWord.Live(location, generation)));
        foreach (long other in (long[])[0, location, LocationMax])
        {
            Assert.False(Location(EntryWord.Live(other, generation - 1)) < EntryWord.LiveBit);
            Assert.False(Location(EntryWord.Live(other, generation + 1)) < EntryWord.LiveBit);
            Assert.False(Location(EntryWord.Free(generation - 1, other)) < EntryWord.LiveBit);
            Assert.False(Location(EntryWord.Free(generation + 1, other)) < EntryWord.LiveBit);
        }

        // A tombstone, of files, where nothing is read so, may lie anywhere; in memory a free entry has no location.
        Assert.False(Location(EntryWord.Free(generation)) < EntryWord.LiveBit);
        Assert.False(Location(0) < EntryWord.LiveBit);

        ulong Location(ulong entry) => Place(entry, pointer, (byte)tag) + (ulong)Limits.TableWordsWhole;
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

    /// <summary>What <see cref="ReadsAtOnce"/> adds up.</summary>
    private static ulong Place(ulong entry, ulong pointer, byte tag) => unchecked(PointerWord.NearTag(tag) + PointerWord.Slot(pointer) - pointer + entry);

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
