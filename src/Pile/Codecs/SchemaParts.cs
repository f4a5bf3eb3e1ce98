// Schemas too long for one record (types of some hundred fields): cut into parts [number, index, count, bytes], put together
// again when they are loaded, in whatever order they come.
using System;
using System.Collections.Generic;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Cuts and joins schema records. Not thread-safe.</summary>
internal sealed class SchemaParts
{
    private const int ElementsOfPart = 4;
    private readonly Dictionary<int, (int Count, SortedList<int, byte[]> Parts)> _waiting = [];

    /// <summary>Keeps a record, whole or in parts.</summary>
    internal static PileStatus Keep(ISchemaStore store, int number, ReadOnlySpan<byte> record)
    {
        int count = (record.Length + Limits.SchemaPartBytes - 1) / Limits.SchemaPartBytes;
        if (count == 1)
        {
            return store.Keep(record);
        }

        // A part that stays alone, because the next found no room, is written again with the others, and wins.
        var writer = new WireWriter();
        for (int index = 0; index < count; index++)
        {
            writer.Truncate(0);
            writer.WriteArrayHeader(ElementsOfPart);
            writer.WriteInt32(number);
            writer.WriteInt32(index);
            writer.WriteInt32(count);
            writer.WriteBinary(record[(index * Limits.SchemaPartBytes)..int.Min(record.Length, (index + 1) * Limits.SchemaPartBytes)]);
            PileStatus status = store.Keep(writer.Written);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }

        return PileStatus.Ok;
    }

    /// <summary>Takes a record.</summary>
    /// <returns>The whole record, or null while parts are missing.</returns>
    internal byte[]? Join(ReadOnlySpan<byte> record)
    {
        var reader = new WireReader(record);
        if (reader.ReadArrayHeader() != ElementsOfPart)
        {
            return record.ToArray();
        }

        int number = reader.ReadInt32();
        int index = reader.ReadInt32();
        int count = (int)reader.ReadRange(1, Limits.PayloadBytesMax / Limits.SchemaPartBytes);
        byte[] bytes = reader.ReadBinary().ToArray();
        if (!_waiting.TryGetValue(number, out (int Count, SortedList<int, byte[]> Parts) known))
        {
            // Room for the parts that came, not for those that one of them speaks of.
            _waiting.Add(number, known = (count, []));
        }

        if (known.Count != count || (uint)index >= (uint)count)
        {
            Throw.CorruptedValueOf($"part {index} of {count} of a schema of {known.Count} parts", 0);
        }

        known.Parts[index] = bytes;
        if (known.Parts.Count < count)
        {
            return null;
        }

        _ = _waiting.Remove(number);
        List<byte> whole = [];
        foreach (byte[] part in known.Parts.Values)
        {
            whole.AddRange(part);
        }

        return [.. whole];
    }
}
