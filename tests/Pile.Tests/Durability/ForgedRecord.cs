// Records that are not what was put, and whole by all their checks: what a hostile file may hold.
// Slot, code and payload are the caller's; header and checksums follow from them.
using System;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Tests.Durability;

/// <summary>Forged records.</summary>
internal static class ForgedRecord
{
    /// <summary>Where an object's record stands.</summary>
    internal static long LocationOf(ObjectPile pile, PilePointer pointer) => EntryWord.Location(pile.Core.Table.Read(pointer.Slot));

    /// <summary>Makes a record whole again, its payload as it is.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="location">Where it stands.</param>
    /// <param name="word0">Its first word from here on; its length is what it was.</param>
    /// <param name="version">Its version from here on; null for what it was.</param>
    /// <param name="generation">Its generation from here on; null for what it was.</param>
    internal static void Seal(ObjectPile pile, long location, ulong word0, ulong? version = null, uint? generation = null)
    {
        FlatSpace space = pile.Core.Directory.Space;
        ulong word1 = space.ReadWord(location + 1);
        Span<byte> record = space.Bytes(location, 0, DurableRecord.HeaderBytes + RecordWord.PayloadBytes(word0));
        var stamp = new RecordStamp
        {
            Version = version ?? DurableRecord.Version(word1),
            Generation = generation ?? DurableRecord.Generation(word1),
            Salt = DurableRecord.SaltOf(pile.Core.Log.Identity, pile.Core.Directory.At(location).Sequence),
            Location = location,
        };
        DurableRecord.WriteRest(record[Limits.WordBytes..], word0, PayloadSum.Of(word0, record[DurableRecord.HeaderBytes..]), stamp);
        space.WriteWord(location, word0);
    }
}
