// Classes kept by their fields, however they were constructed: the instance is made without running a constructor, then its
// fields are set. Serialization callbacks are called as the framework's attributes ask.
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of a class by fields.</summary>
internal sealed class ObjectPlan<T> : Plan<T>
    where T : class
{
    private readonly FieldSet<T> _fields;
    private readonly Callbacks? _callbacks = Callbacks.Of(typeof(T));

    public ObjectPlan()
        : base(PlanKind.Fields) => _fields = new FieldSet<T>(TypeFields.Of(typeof(T)), mayLoop: _callbacks is null);

    internal override IReadOnlyList<PlanMember> Members => _fields.Members;

    internal override bool HasCallbacks => _callbacks is not null;

    internal override Plan MapFrom(TypeVersion version) => new MappedPlan(version, typeof(T));

    internal override int Count(object value) => _fields.Count;

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        T typed = RawValue.As<T>(value);
        if (_callbacks is not null)
        {
            _callbacks.Serializing(value);
            writer.CallWhenWritten(this, value);
        }

        _fields.Write(writer, ref typed);
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        reader.Expect(count, _fields.Count);
        object value = hollow ?? RuntimeHelpers.GetUninitializedObject(Type);
        if (hollow is null)
        {
            reader.Register(offset, value);
        }

        Fill(ref reader, value, offset);
        return value;
    }

    internal override T ReadValue(ref GraphReader reader, int count)
    {
        reader.Expect(count, _fields.Count);
        object value = RuntimeHelpers.GetUninitializedObject(Type);
        Fill(ref reader, value, 0);
        return RawValue.As<T>(value);
    }

    internal override void WriteFlat(GraphWriter writer, int number, ref T value)
    {
        writer.WriteTag(_fields.Count + 1, number);
        _fields.Write(writer, ref value);
    }

    internal override void Written(object value) => _callbacks!.Serialized(value);

    internal override void Completed(object value) => _callbacks!.Deserialized(value);

    internal override void Notify(object value) => _callbacks!.Notify(value);

    protected override void Hold(object instance) => _callbacks?.Hold(instance);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Fill(ref GraphReader reader, object value, int offset)
    {
        T typed = RawValue.As<T>(value);
        if (_callbacks is null)
        {
            _fields.Read(ref reader, ref typed);
            return;
        }

        _callbacks.Deserializing(value);
        _fields.Read(ref reader, ref typed);
        reader.Context.Callbacks.Add(new Called(this, value, offset));
    }
}
