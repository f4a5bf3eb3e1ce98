// Reads an older version of a type that is kept by its fields. It never writes: what is put now has today's schema.
// Slower than today's plan, which takes over as soon as an object is put again.
using System;

namespace Pile.Codecs;

/// <summary>Plan from an old schema to today's type.</summary>
internal sealed class MappedPlan : Plan
{
    private readonly MappedFields _fields;
    private readonly Callbacks? _callbacks;

    internal MappedPlan(TypeVersion version, Type type)
        : base(type, PlanKind.Fields)
    {
        if (version.Schema.Kind != PlanKind.Fields)
        {
            _ = base.MapFrom(version);
        }

        _fields = new MappedFields(version, type, null, version.Schema.Fields);
        _callbacks = Callbacks.Of(type);
    }

    internal override bool Drops(int index) => _fields.Drops(index);

    internal override int Count(object value) => throw new InvalidOperationException("A mapped plan only reads.");

    internal override void WriteContent(GraphWriter writer, object value, int count) => throw new InvalidOperationException("A mapped plan only reads.");

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        reader.Expect(count, _fields.Members.Count);

        // An old version may take less room in the bytes than today's type in memory.
        object value = hollow ?? CreateHollow(ref reader);
        if (hollow is null)
        {
            reader.Register(offset, value);
        }

        _callbacks?.Deserializing(value);
        _fields.Read(ref reader, value);
        if (_callbacks is not null && !Type.IsValueType)
        {
            reader.Context.Callbacks.Add(new Called(this, value, offset));
        }
        else if (_callbacks is not null)
        {
            Completed(value);
            Notify(value);
        }

        return value;
    }

    protected override void Hold(object instance) => _callbacks?.Hold(instance);

    internal override void Completed(object value) => _callbacks!.Deserialized(value);

    internal override void Notify(object value) => _callbacks!.Notify(value);
}
