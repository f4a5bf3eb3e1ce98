// Places of an enum: its underlying integer, members or not. Names of members are not stored.
// A member that is gone later still comes back as its number.
namespace Pile.Codecs;

/// <summary>Formatter of an enum.</summary>
internal sealed class EnumFormatter<TEnum, TInteger>(Formatter<TInteger> inner) : Formatter<TEnum>(inner.Kind)
    where TEnum : struct
    where TInteger : struct
{
    internal override void Write(GraphWriter writer, TEnum value) => inner.Write(writer, Memory.RawValue.Cast<TEnum, TInteger>(value));

    internal override TEnum Read(ref GraphReader reader) => Memory.RawValue.Cast<TInteger, TEnum>(inner.Read(ref reader));
}
