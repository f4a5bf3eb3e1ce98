// What is noted of an entry that is more than a value with an end: how long it is kept past its end, its tags, what it stands for.
// Most entries have none; the layout is NoteWord's.
using System;
using System.Buffers.Binary;
using Pile.Format;

namespace Pile.Cache.Entries;

/// <summary>The note of an entry to be stored.</summary>
/// <param name="KeptTicks">How long before it goes it is shown no more. Of one that a call let end that and when it goes: its end, which is the one less the other, lies
/// before all times then, and no clock that steps back comes before it.</param>
/// <param name="Kind">What it stands for.</param>
/// <param name="Stamp">Removals by tag that there had been when it began to be made.</param>
/// <param name="Tags">Hashes of its tags.</param>
internal sealed record EntryNote(long KeptTicks, NoteKind Kind, long Stamp, ulong[] Tags)
{
    /// <summary>In place of a stamp: there is no room for what is noted of tags.</summary>
    internal const long NoRoom = -1;

    /// <summary>Bytes behind the value.</summary>
    internal int TailBytes => Tags.Length * KeyedHead.TagBytes;

    /// <summary>Writes the two words.</summary>
    internal void WriteHead(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(target, NoteWord.Pack(Stamp, Tags.Length, (byte)Kind));
        BinaryPrimitives.WriteInt64LittleEndian(target[sizeof(ulong)..], KeptTicks);
    }

    /// <summary>Writes the hashes of the tags.</summary>
    internal void WriteTail(Span<byte> target)
    {
        for (int index = 0; index < Tags.Length; index++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(target[(index * KeyedHead.TagBytes)..], Tags[index]);
        }
    }
}
