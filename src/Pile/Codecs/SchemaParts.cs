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
    private readonly Dictionary<(int Number, int Count), SortedList<int, byte[]>> _waiting = [];

    /// <summary>Keeps a record, whole or in parts.</summary>
    /// <param name="store">Where.</param>
    /// <param name="number">The schema's number.</param>
    /// <param name="record">The record.</param>
    /// <param name="kept">Parts of it that an earlier call had kept before the next found no room, and then those that are kept now: nobody deletes them.</param>
    internal static PileStatus Keep(ISchemaStore store, int number, ReadOnlySpan<byte> record, ref int kept)
    {
        int count = (record.Length + CodecLimits.SchemaPartBytes - 1) / CodecLimits.SchemaPartBytes;
        if (count == 1)
        {
            return store.Keep(record);
        }

        // A part that stays alone because the process ended uses its number up (Join).
        var writer = new WireWriter();
        for (; kept < count; kept++)
        {
            writer.Truncate(0);
            writer.WriteArrayHeader(ElementsOfPart);
            writer.WriteInt32(number);
            writer.WriteInt32(kept);
            writer.WriteInt32(count);
            writer.WriteBinary(record[(kept * CodecLimits.SchemaPartBytes)..int.Min(record.Length, (kept + 1) * CodecLimits.SchemaPartBytes)]);
            PileStatus status = store.Keep(writer.Written);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }

        return PileStatus.Ok;
    }

    /// <summary>Takes a record.</summary>
    /// <param name="record">The record.</param>
    /// <param name="number">The number that the schema has whose part it is; 0 for a whole one. It is used up, whether or not the other parts are there.</param>
    /// <returns>The whole record, or null while parts are missing.</returns>
    internal byte[]? Join(ReadOnlySpan<byte> record, out int number)
    {
        number = 0;
        var reader = new WireReader(record);
        if (reader.ReadArrayHeader() != ElementsOfPart)
        {
            return record.ToArray();
        }

        number = (int)reader.ReadRange(1, CodecLimits.TypeVersionsMax);
        int index = reader.ReadInt32();
        int count = (int)reader.ReadRange(1, Limits.PayloadBytesMax / CodecLimits.SchemaPartBytes);
        byte[] bytes = reader.ReadBinary().ToArray();
        if ((uint)index >= (uint)count)
        {
            Throw.CorruptedValueOf($"part {index} of {count} of a schema", 0);
        }

        if (!_waiting.TryGetValue((number, count), out SortedList<int, byte[]>? parts))
        {
            // Room for the parts that came, not for those that one of them speaks of.
            _waiting.Add((number, count), parts = []);
        }

        parts[index] = bytes;
        if (parts.Count < count)
        {
            return null;
        }

        _ = _waiting.Remove((number, count));
        List<byte> whole = [];
        foreach (byte[] part in parts.Values)
        {
            whole.AddRange(part);
        }

        return [.. whole];
    }
}
