// Structs kept by their fields, readonly ones too: KeyValuePair, ValueTuple, vectors, the program's own.
// Serialization callbacks are made on a boxed copy: before and after its fields are written, before and after they are read.
using System.Collections.Generic;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of a struct by fields.</summary>
internal sealed class StructPlan<T>() : ValuePlan<T>(PlanKind.Fields)
    where T : struct
{
    private readonly FieldSet<T> _fields = new(TypeFields.Of(typeof(T)));
    private readonly Callbacks? _callbacks = Callbacks.Of(typeof(T));

    internal override IReadOnlyList<PlanMember> Members => _fields.Members;

    internal override bool HasCallbacks => _callbacks is not null;

    internal override Plan MapFrom(TypeVersion version) => new MappedPlan(version, typeof(T));

    internal override int CountOf(ref T value) => _fields.Count;

    internal override void WriteValue(GraphWriter writer, ref T value, int count)
    {
        if (_callbacks is null)
        {
            _fields.Write(writer, ref value);
        }
        else
        {
            WriteCalled(writer, value);
        }
    }

    internal override void ReadValue(ref GraphReader reader, ref T value, int count)
    {
        reader.Expect(count, _fields.Count);
        if (_callbacks is null)
        {
            _fields.Read(ref reader, ref value);
        }
        else
        {
            ReadCalled(ref reader, ref value);
        }
    }

    internal override void WriteFlat(GraphWriter writer, int number, ref T value)
    {
        writer.WriteTag(_fields.Count + 1, number);
        _fields.Write(writer, ref value);
    }

    internal override void Written(object value) => _callbacks!.Serialized(value);

    private void WriteCalled(GraphWriter writer, object box)
    {
        _callbacks!.Serializing(box);
        writer.CallWhenWritten(this, box);
        _fields.Write(writer, ref RawValue.Unbox<T>(box));
    }

    private void ReadCalled(ref GraphReader reader, ref T value)
    {
        object box = value;
        _callbacks!.Deserializing(box);
        _fields.Read(ref reader, ref RawValue.Unbox<T>(box));
        _callbacks.Deserialized(box);
        _callbacks.Notify(box);
        value = RawValue.Unbox<T>(box);
    }
}
