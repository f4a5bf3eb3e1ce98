// Places of a sealed class, or of an array that can't be another's: the type needs no tag.
// Its plan is found at the first use, so that types may contain each other.
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
        return value is null ? null : value as T ?? throw GraphReader.WrongType(offset, typeof(T));
    }
}
