// Memory<T> and ReadOnlyMemory<T>: the array or string behind, shared with whoever else holds it, with start and length.
// Made again by their own constructors, which check both: raw fields from damaged bytes would reach foreign memory.
using System;
using System.Runtime.InteropServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plans of memory over arrays of T.</summary>
internal static class MemoryPlans<T>
{
    public static Plan Writable() => new ValuePartsPlan<Memory<T>>(
        Parts(), static (w, memory) => Write(w, memory), static (ref r) => MemoryMarshalRoom.Writable(Read(ref r)));

    public static Plan ReadOnly() => new ValuePartsPlan<ReadOnlyMemory<T>>(
        Parts(), static (w, memory) => Write(w, memory), static (ref r) => Read(ref r));

    private static PlanMember[] Parts() => [Part.Of<object>("of"), Part.Of<int>("start"), Part.Of<int>("length")];

    private static void Write(GraphWriter writer, ReadOnlyMemory<T> memory)
    {
        object? whole;
        int start;
        if (MemoryMarshal.TryGetArray(memory, out ArraySegment<T> segment))
        {
            whole = segment.Array;
            start = segment.Offset;
        }
        else if (MemoryMarshalRoom.TryGetString(memory, out string? text, out start))
        {
            whole = text;
        }
        else
        {
            throw Refuse.AType(typeof(System.Buffers.MemoryManager<T>), null);
        }

        writer.WriteAny(memory.IsEmpty && whole is Array { Length: 0 } ? null : whole);
        writer.WriteInt32(whole is Array { Length: 0 } ? 0 : start);
        writer.WriteInt32(memory.Length);
    }

    private static ReadOnlyMemory<T> Read(ref GraphReader reader)
    {
        object? whole = reader.ReadAny();
        int start = reader.Wire.ReadInt32();
        int length = reader.Wire.ReadInt32();
        return whole switch
        {
            null when length == 0 => default,
            string text when typeof(T) == typeof(char) => (ReadOnlyMemory<T>)(object)text.AsMemory(start, length),
            T[] array => new ReadOnlyMemory<T>(array, start, length),
            _ => throw new FormatException("neither an array nor a string is behind it"),
        };
    }
}
