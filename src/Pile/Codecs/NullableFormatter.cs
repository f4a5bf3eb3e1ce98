// Places of a nullable value: nil, or the value as it stands in a place of its own type.
// No value type writes nil itself, so that the two can't be mistaken.
namespace Pile.Codecs;

/// <summary>Formatter of nullable values.</summary>
internal sealed class NullableFormatter<T>(Formatter<T> inner) : Formatter<T?>(inner.Kind | WireKind.Nullable)
    where T : struct
{
    internal override Plan? Nested => inner.Nested;

    internal override bool IsSettled => inner.IsSettled;

    internal override void Write(GraphWriter writer, T? value)
    {
        if (value is { } present)
        {
            inner.Write(writer, present);
        }
        else
        {
            writer.WriteNil();
        }
    }

    internal override T? Read(ref GraphReader reader) => reader.Wire.TryReadNil() ? null : inner.Read(ref reader);
}
