// Looks at the items of an export's blocks before anything of them is placed: kinds, ranges, order, and that nothing is left over.
// Whatever is not as docs/EXPORT.md says is a PileCorruptedException that names the byte.
using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>Reads the items of one export. Not thread-safe.</summary>
/// <param name="source">The export.</param>
/// <param name="slotsMax">The most slots that the heap may have.</param>
internal sealed class ImportParser(ExportReader source, uint slotsMax)
{
    // Objects, types, roots.
    private const int Counts = 3;

    private readonly List<ImportItem> _items = [];
    private uint _lastSlot;
    private long _slots;

    /// <summary>Schema records, with their slots and generations.</summary>
    internal List<(uint Slot, uint Generation, byte[] Record)> Types { get; } = [];

    /// <summary>Roots, with their slots and generations; slot 0 for none.</summary>
    internal List<(uint Slot, uint Generation, string Name, ulong Pointer)> Roots { get; } = [];

    /// <summary>Objects met so far.</summary>
    internal long Objects { get; private set; }

    /// <summary>Reads the items of a block of slots.</summary>
    /// <returns>They are valid until the next block is read.</returns>
    internal List<ImportItem> ReadSlots(in ExportBlock block)
    {
        _items.Clear();
        Read(block, static (self, ref reader) => self._items.Add(self.ReadSlot(ref reader)));
        return _items;
    }

    /// <summary>Reads a block of schemas.</summary>
    internal void ReadTypes(in ExportBlock block) => Read(block, static (self, ref reader) =>
    {
        Expect(ref reader, 3);
        uint slot = self.ReadSlotNumber(ref reader, Limits.FirstSlot);
        uint generation = ReadGeneration(ref reader);
        ReadOnlySpan<byte> record = reader.ReadBinary();
        if (record.Length is 0 or > 2 * CodecLimits.SchemaPartBytes)
        {
            Throw.CorruptedValueOf($"a schema of {record.Length:N0} bytes", reader.Position);
        }

        self.Types.Add((slot, generation, record.ToArray()));
    });

    /// <summary>Reads a block of roots.</summary>
    internal void ReadRoots(in ExportBlock block) => Read(block, static (self, ref reader) =>
    {
        Expect(ref reader, 4);
        uint slot = self.ReadSlotNumber(ref reader, 0);
        uint generation = slot == 0 ? (uint)reader.ReadRange(0, EntryWord.GenerationMax) : ReadGeneration(ref reader);
        string name = reader.ReadText();
        if (PileRoots.ProblemOf(name) is { } problem)
        {
            Throw.CorruptedValue(problem, reader.Position);
        }

        self.Roots.Add((slot, generation, name, reader.ReadUInt64()));
    });

    /// <summary>Reads the last block and compares its counts, all of which it must have.</summary>
    internal void ReadEnd(in ExportBlock block)
    {
        if (block.Items != 1)
        {
            throw source.Damaged(0, FormattableString.Invariant($"{block.Items:N0} items where the one of the end belongs"));
        }

        Read(block, static (self, ref reader) => self.ReadCounts(ref reader));
    }

    private void ReadCounts(scoped ref WireReader reader)
    {
        HashSet<string> compared = [];
        for (int pairs = reader.ReadMapHeader(); pairs > 0; pairs--)
        {
            string key = reader.ReadText();
            long met = key switch
            {
                "objects" => Objects,
                "types" => Types.Count,
                "roots" => Roots.Count,
                _ => -1,
            };
            if (met < 0)
            {
                reader.Skip();
            }
            else if (reader.ReadInt64() is var said && said != met)
            {
                Throw.CorruptedValueOf($"it says that there are {said:N0} {key}, and there were {met:N0}", reader.Position);
            }
            else
            {
                _ = compared.Add(key);
            }
        }

        if (compared.Count < Counts)
        {
            Throw.CorruptedValueOf($"{compared.Count} of the {Counts} counts of an end", reader.Position);
        }

        RequireNear(reader.Position);
    }

    private delegate void ItemReader(ImportParser self, scoped ref WireReader reader);

    private void Read(in ExportBlock block, ItemReader item)
    {
        var reader = new WireReader(source.Body);
        try
        {
            for (uint index = 0; index < block.Items; index++)
            {
                item(this, ref reader);
            }

            if (reader.Remaining > 0)
            {
                Throw.CorruptedValueOf($"{reader.Remaining:N0} bytes behind the last of {block.Items:N0} items", reader.Position);
            }
        }
        catch (PileCorruptedException damage)
        {
            throw source.Damaged(reader.Position, damage.Message);
        }
    }

    /// <summary>Requires that slots of types and roots are no farther off than slots of objects may be.</summary>
    /// <exception cref="PileCorruptedException">One is.</exception>
    private void RequireNear(int position)
    {
        long most = _slots + Types.Count + Roots.Count + (long)FileLimits.ImportGapSlotsMax;
        foreach (uint slot in Types.Select(static type => type.Slot).Concat(Roots.Select(static root => root.Slot)))
        {
            if (slot > most)
            {
                Throw.CorruptedValueOf($"slot {slot:N0}, which should be at most {most:N0}", position);
            }
        }
    }

    private ImportItem ReadSlot(scoped ref WireReader reader)
    {
        int parts = reader.ReadArrayHeader();
        if (parts is not (2 or 4))
        {
            Throw.CorruptedValueOf($"an array of {parts} where a slot belongs", reader.Position);
        }

        uint slot = ReadSlotNumber(ref reader, _lastSlot + 1, ++_slots + FileLimits.ImportGapSlotsMax);
        uint generation = ReadGeneration(ref reader);
        _lastSlot = slot;
        if (parts == 2)
        {
            return new ImportItem(slot, generation, RecordCode.Tombstone, 0, 0);
        }

        var code = (RecordCode)reader.ReadRange((int)RecordCode.Bytes, (int)RecordCode.Extended);
        ReadOnlySpan<byte> payload = reader.ReadBinary();
        if (!IsOfObject(code, payload))
        {
            Throw.CorruptedValueOf($"no payload of kind {(int)code}", reader.Position - payload.Length);
        }

        Objects++;
        return new ImportItem(slot, generation, code, reader.Position - payload.Length, payload.Length);
    }

    /// <summary>Whether a payload may stand in a lane. What the lane's bytes mean is checked where they are read.</summary>
    private static bool IsOfObject(RecordCode code, ReadOnlySpan<byte> payload) => payload.Length <= Limits.PayloadBytesMax && code switch
    {
        RecordCode.Bytes or RecordCode.NarrowString or RecordCode.Value or RecordCode.Span or RecordCode.Typed => true,
        RecordCode.Extended => payload.Length > 0 && !ExtendedKinds.IsOfCache(payload[0]),
        RecordCode.WideString => payload.Length % sizeof(char) == 0,
        _ => false,
    };

    /// <summary>Reads the number of a slot.</summary>
    /// <param name="reader">From where.</param>
    /// <param name="least">The least that it may be.</param>
    /// <param name="most">The most: nearly every slot is named, and a short stream must not ask for a long table.</param>
    private uint ReadSlotNumber(scoped ref WireReader reader, uint least, long most = Limits.SlotsMax)
    {
        long slot = reader.ReadInt64();
        most = long.Min(most, Limits.SlotsMax);
        if (slot < least || slot > most)
        {
            Throw.CorruptedValueOf($"slot {slot:N0}, which should be {least:N0} to {most:N0}", reader.Position);
        }

        if (slot > slotsMax)
        {
            throw new PileFullException(FormattableString.Invariant($"The export has slot {slot:N0}, and the pile may have {slotsMax:N0} (SlotsMax)."));
        }

        return (uint)slot;
    }

    private static uint ReadGeneration(scoped ref WireReader reader) => (uint)reader.ReadRange(1, EntryWord.GenerationMax);

    private static void Expect(scoped ref WireReader reader, int parts)
    {
        int found = reader.ReadArrayHeader();
        if (found != parts)
        {
            Throw.CorruptedValueOf($"an array of {found} where one of {parts} belongs", reader.Position);
        }
    }
}
