// Plans of structs: written and read in place, by reference, and in a box where a place of type object holds one.
// A box is an object like any other: it has an identity and can be deferred.
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>A plan of a struct.</summary>
internal abstract class ValuePlan<T>(PlanKind kind, bool isPlain = false) : Plan<T>(kind, isPlain)
    where T : struct
{
    /// <summary>Elements of the content of a value.</summary>
    internal abstract int CountOf(ref T value);

    /// <summary>Writes exactly <paramref name="count"/> elements.</summary>
    internal abstract void WriteValue(GraphWriter writer, ref T value, int count);

    /// <summary>Reads <paramref name="count"/> elements into a value.</summary>
    internal abstract void ReadValue(ref GraphReader reader, ref T value, int count);

    internal sealed override void WriteRoot(GraphWriter writer, T value) => writer.WriteRoot(this, value);

    internal sealed override int Count(object value) => CountOf(ref RawValue.Unbox<T>(value));

    internal sealed override void WriteContent(GraphWriter writer, object value, int count) =>
        WriteValue(writer, ref RawValue.Unbox<T>(value), count);

    internal sealed override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (hollow is null)
        {
            reader.Context.Charge(ReadCost.Object(Unsafe.SizeOf<T>(), count), offset);
            hollow = default(T);
            reader.Register(offset, hollow);
        }

        ReadValue(ref reader, ref RawValue.Unbox<T>(hollow), count);
        return hollow;
    }

    internal sealed override T ReadValue(ref GraphReader reader, int count)
    {
        T value = default;
        ReadValue(ref reader, ref value, count);
        return value;
    }

    internal override object CreateHollow(ref GraphReader reader)
    {
        reader.Context.Charge(ReadCost.Object(Unsafe.SizeOf<T>(), LeastBytes), reader.Wire.Position);
        return default(T);
    }
}
