// Memory<T> and ReadOnlyMemory<T>: the array or string behind, shared with whoever else holds it, with start and length; and sequences of it.
// Made again by their own constructors, which check both: raw fields from damaged bytes would reach foreign memory.
using System;
using System.Buffers;
using System.Runtime.InteropServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plans of memory over arrays of T.</summary>
internal static class MemoryPlans<T>
{
    public static Plan Writable() => new ValuePartsPlan<Memory<T>>(
        Parts(), static (w, memory) => Write(w, memory), static (ref r) => MemoryMarshalRoom.Writable(Read(ref r, isWritable: true)));

    public static Plan ReadOnly() => new ValuePartsPlan<ReadOnlyMemory<T>>(
        Parts(), static (w, memory) => Write(w, memory), static (ref r) => Read(ref r, isWritable: false));

    /// <summary>A sequence is its items: what its fields lead to is taken for segments without a look.</summary>
    public static Plan Sequence() => new ValuePartsPlan<ReadOnlySequence<T>>(
        [Part.Of<T[]>("items")],
        static (w, sequence) => Formatters.Of<T[]>().Write(w, sequence.ToArray()),
        static (ref r) => new ReadOnlySequence<T>(Formatters.Of<T[]>().Read(ref r) ?? throw new FormatException("the items are nil")));

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

    private static ReadOnlyMemory<T> Read(ref GraphReader reader, bool isWritable)
    {
        int offset = reader.Wire.Position;
        object? whole = reader.ReadAny();
        int start = reader.Wire.ReadInt32();
        int length = reader.Wire.ReadInt32();
        return whole switch
        {
            null when length == 0 => default,
            string text when typeof(T) == typeof(char) => (ReadOnlyMemory<T>)(object)text.AsMemory(start, length),

            // An array of a derived class is one of T to read from; nobody looks at what is stored into it by memory of T.
            T[] array when !isWritable || typeof(T).IsValueType || array.GetType() == typeof(T[]) => new ReadOnlyMemory<T>(array, start, length),
            Array other when TypeName.Of(other.GetType()) == TypeName.Of(typeof(T[])) => throw GraphReader.Misfit(offset, typeof(T[]), other),
            _ => throw new FormatException("neither an array nor a string is behind it"),
        };
    }
}
