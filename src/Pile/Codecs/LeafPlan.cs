// Boxed single values: [number, value], or the value alone where MessagePack's own types tell the CLR type: bool, int, double.
// A box is an object like any other: it has an identity. An enum of another width than when it was stored is read checked.
namespace Pile.Codecs;

/// <summary>Plan of a type that is one value by itself.</summary>
internal sealed class LeafPlan<T>(Formatter<T> formatter) : ValuePlan<T>(PlanKind.Value, typeof(T) == typeof(bool) || typeof(T) == typeof(int) || typeof(T) == typeof(double))
    where T : struct
{
    private readonly PlanMember[] _members = [new("", "value", formatter)];

    internal override System.Collections.Generic.IReadOnlyList<PlanMember> Members => _members;

    internal override bool CanDefer => false;

    internal override Plan MapFrom(TypeVersion version) =>
        version.Schema.Kind == Kind ? new LeafPlan<T>(MappedFormatter.Of<T>(version, 0)) : base.MapFrom(version);

    internal override int CountOf(ref T value) => 1;

    internal override void WriteValue(GraphWriter writer, ref T value, int count) => formatter.Write(writer, value);

    internal override void ReadValue(ref GraphReader reader, ref T value, int count)
    {
        reader.Expect(count, 1);
        value = formatter.Read(ref reader);
    }

    internal override void WritePlain(GraphWriter writer, object value, bool isExact) => formatter.Write(writer, (T)value);
}
