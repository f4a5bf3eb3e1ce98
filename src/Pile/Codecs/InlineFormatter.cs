// Places of a struct that is no single value: an array without tag, in the middle of what contains it.
// Its plan is found at the first use, so that types may contain each other.
namespace Pile.Codecs;

/// <summary>Formatter of places that hold a struct.</summary>
internal sealed class InlineFormatter<T>() : Formatter<T>(WireKind.Inline)
    where T : struct
{
    private ValuePlan<T>? _plan;

    internal override ValuePlan<T> Nested => _plan ??= (ValuePlan<T>)Plans.Of<T>();

    internal override bool IsSettled
    {
        get
        {
            foreach (PlanMember member in Nested.Members)
            {
                if (!member.Formatter.IsSettled)
                {
                    return false;
                }
            }

            return true;
        }
    }

    internal override int LeastBytes => 1 + Nested.LeastBytes;

    internal override void Write(GraphWriter writer, T value) => writer.WriteInline(_plan ?? Nested, ref value);

    internal override T Read(ref GraphReader reader)
    {
        T value = default;
        reader.ReadInline(_plan ?? Nested, ref value);
        return value;
    }
}
