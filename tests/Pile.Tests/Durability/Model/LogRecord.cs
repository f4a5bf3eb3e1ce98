using System;

namespace Pile.Tests.Durability.Model;

/// <summary>A record at a place of a segment. Its header check holds only under the segment sequence it was written under.</summary>
/// <param name="Kind">What the header says it is.</param>
/// <param name="Slot">Slot of an object or tombstone.</param>
/// <param name="Generation">Generation of the slot.</param>
/// <param name="Version">Version within the generation.</param>
/// <param name="Value">The payload: which call wrote it. Of a frame the number of members, of a marker its number.</param>
/// <param name="Sequence">Segment sequence in the header check.</param>
/// <param name="IsWhole">Whether the payload's CRC holds.</param>
/// <param name="IsMember">Whether it was written as a member of a frame.</param>
/// <param name="Lengths">Of a marker: the lengths it proves.</param>
internal readonly record struct LogRecord(
    RecordKind Kind, int Slot = 0, int Generation = 0, int Version = 0, int Value = 0, int Sequence = 0,
    bool IsWhole = true, bool IsMember = false, ulong Lengths = 0)
{
    internal const int SlotsMax = 3;
    internal const int GenerationMax = 15;
    internal const int VersionMax = 7;

    /// <summary>The payload of a record whose CRC does not hold.</summary>
    internal const int Garbage = 15;

    internal bool IsOfASlot => Kind is RecordKind.Object or RecordKind.Tombstone;

    /// <summary>Greater is newer, within a slot: generation, tombstone, version.</summary>
    internal int Age => (Generation << 4) | (Kind == RecordKind.Tombstone ? 8 : 0) | Version;

    /// <summary>What a reader finds: generation and payload, no payload for a tombstone.</summary>
    internal SlotState State => new(Generation, Kind != RecordKind.Object ? 0 : IsWhole ? Value : Garbage);

    internal static LogRecord Unpack(ulong bits) => new(
        (RecordKind)(bits & 7), (int)(bits >> 10) & 3, (int)(bits >> 12) & 15, (int)(bits >> 16) & 7, (int)(bits >> 19) & 15,
        (int)(bits >> 3) & 31, ((bits >> 8) & 1) != 0, ((bits >> 9) & 1) != 0, bits >> 23);

    internal static int SequenceOf(ulong bits) => (int)(bits >> 3) & 31;

    internal ulong Pack()
    {
        if (Kind == RecordKind.None)
        {
            return 0;
        }

        if (Slot >= SlotsMax || Generation > GenerationMax || Version > VersionMax || Value > Garbage || Sequence > 31)
        {
            throw new InvalidOperationException($"{this} is beyond what the model can write down");
        }

        return (ulong)Kind | ((ulong)Sequence << 3) | (IsWhole ? 1UL << 8 : 0) | (IsMember ? 1UL << 9 : 0) | ((ulong)Slot << 10)
            | ((ulong)Generation << 12) | ((ulong)Version << 16) | ((ulong)Value << 19) | (Lengths << 23);
    }
}
