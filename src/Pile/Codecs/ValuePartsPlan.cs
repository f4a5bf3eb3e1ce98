// Structs kept by what they are made of, where their fields would tell too little or too much.
// As PartsPlan, for values without identity.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Plan of a struct by parts.</summary>
internal sealed class ValuePartsPlan<T>(PlanMember[] parts, LeafWrite<T> write, LeafRead<T> read) : ValuePlan<T>(PlanKind.Parts)
    where T : struct
{
    internal override IReadOnlyList<PlanMember> Members => parts;

    internal override bool CanDefer => false;

    internal override int CountOf(ref T value) => parts.Length;

    internal override void WriteValue(GraphWriter writer, ref T value, int count) => write(writer, value);

    internal override void ReadValue(ref GraphReader reader, ref T value, int count)
    {
        reader.Expect(count, parts.Length);
        value = Damage.Guard(read, ref reader);
    }
}
