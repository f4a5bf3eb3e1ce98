// Places whose static type does not tell the type of the object: object, interfaces, classes that can be derived from.
// The object tells its type by a tag or by itself; what comes back must fit the place.
namespace Pile.Codecs;

/// <summary>Formatter of places that hold more than one type.</summary>
internal sealed class AnyFormatter<T>() : Formatter<T?>(WireKind.Any)
    where T : class
{
    internal override void Write(GraphWriter writer, T? value) => writer.WriteAny(value);

    internal override T? Read(ref GraphReader reader)
    {
        int offset = reader.Wire.Position;
        object? value = reader.ReadAny();
        return value is null ? null : value as T ?? throw GraphReader.Misfit(offset, typeof(T), value);
    }
}
