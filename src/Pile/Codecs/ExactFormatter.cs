// Places of a sealed class, or of an array that can't be another's: the type needs no tag.
// Its plan is found at the first use, so that types may contain each other.
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Formatter of places that hold exactly one class.</summary>
internal sealed class ExactFormatter<T>() : Formatter<T?>(WireKind.Exact)
    where T : class
{
    private Plan? _plan;

    internal override Plan Nested => _plan ??= Plans.Of<T>();

    internal override void Write(GraphWriter writer, T? value) => writer.WriteExact(_plan ?? Nested, value);

    internal override T? Read(ref GraphReader reader)
    {
        int offset = reader.Wire.Position;
        if (reader.TryBeginBody(out int count))
        {
            // What the plan of T makes of a body is a T.
            return RawValue.As<T>(reader.ReadBody(_plan ?? Nested, count, null, offset));
        }

        object? value = reader.ReadExact(_plan ?? Nested);
        return value is null ? null : value as T ?? throw reader.ExactMisfit(offset, typeof(T), value);
    }

    /// <summary>Writes the last place of an object of T kept by its fields, for code that goes on with the next object itself: a
    /// list is then a loop and no recursion.</summary>
    /// <returns>Whether only the header of the next object is written, and its fields are to follow.</returns>
    internal bool WriteNext(GraphWriter writer, T? value, int fields) => writer.TryBeginNext(_plan ?? Nested, value, fields);

    /// <summary>Reads the last place of an object of T kept by its fields, for code that goes on with the next object itself.</summary>
    /// <returns>Whether the object was only made, and its fields are next.</returns>
    internal bool ReadNext(ref GraphReader reader, int fields, out T? value)
    {
        int offset = reader.Wire.Position;
        if (!reader.TryBeginBody(out int count))
        {
            value = Read(ref reader);
            return false;
        }

        reader.Enter();
        reader.Expect(count, fields);
        object next = RuntimeHelpers.GetUninitializedObject(Type);
        reader.Register(offset, next);
        value = RawValue.As<T>(next);
        return true;
    }
}
