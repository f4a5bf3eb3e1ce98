// Objects kept by what they are made of, and made again from it: a pattern, a name, a text. They exist only once their parts
// are read, so that they are never put off; none of their parts can refer to them.
using System.Collections.Generic;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of a class by parts.</summary>
internal sealed class PartsPlan<T>(PlanMember[] parts, LeafWrite<T> write, LeafRead<T> read) : Plan(typeof(T), PlanKind.Parts)
    where T : class
{
    internal override IReadOnlyList<PlanMember> Members => parts;

    internal override bool CanDefer => false;

    internal override int Count(object value) => parts.Length;

    internal override void WriteContent(GraphWriter writer, object value, int count) => write(writer, RawValue.As<T>(value));

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        reader.Expect(count, parts.Length);
        T value = Damage.Guard(read, ref reader);
        reader.Register(offset, value);
        return value;
    }
}
