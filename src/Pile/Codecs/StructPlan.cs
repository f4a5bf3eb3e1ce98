// Structs kept by their fields, readonly ones too: KeyValuePair, ValueTuple, vectors, the program's own.
// Serialization callbacks of structs are not called: there is no object that they could be about.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Plan of a struct by fields.</summary>
internal sealed class StructPlan<T>() : ValuePlan<T>(PlanKind.Fields)
    where T : struct
{
    private readonly FieldSet<T> _fields = new(TypeFields.Of(typeof(T)));

    internal override IReadOnlyList<PlanMember> Members => _fields.Members;

    internal override Plan MapFrom(TypeVersion version) => new MappedPlan(version, typeof(T));

    internal override int CountOf(ref T value) => _fields.Count;

    internal override void WriteValue(GraphWriter writer, ref T value, int count) => _fields.Write(writer, ref value);

    internal override void ReadValue(ref GraphReader reader, ref T value, int count)
    {
        reader.Expect(count, _fields.Count);
        _fields.Read(ref reader, ref value);
    }
}
