// Places that can hold nothing Pile could keep: delegates, handles, pointers. Nothing is written but nil.
// A value there refuses the whole graph; who asks learns the path to it.
namespace Pile.Codecs;

/// <summary>Formatter of places that must be empty.</summary>
internal sealed class RefusedFormatter<T>() : Formatter<T?>(WireKind.Refused)
{
    internal override void Write(GraphWriter writer, T? value)
    {
        if (value is not null)
        {
            throw Refuse.AType(typeof(T), value);
        }

        writer.WriteNil();
    }

    internal override T? Read(ref GraphReader reader) => reader.Wire.TryReadNil()
        ? default
        : throw GraphReader.WrongType(reader.Wire.Position, typeof(T));
}
