// Arrays of one dimension that starts at 0: their elements. Arrays of primitives are PrimitiveArrayPlan's.
// The plan is chosen by the array's own type, so that a string[] in a place of object[] comes back as string[].
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of T[].</summary>
internal sealed class ArrayPlan<T> : Plan
{
    private readonly Formatter<T> _formatter;
    private readonly PlanMember[] _members;

    /// <summary>Today's plan.</summary>
    public ArrayPlan()
        : this(Formatters.Of<T>())
    {
    }

    private ArrayPlan(Formatter<T> formatter)
        : base(typeof(T[]), PlanKind.Array)
    {
        _formatter = formatter;
        _members = [new("", "item", formatter)];
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override Plan MapFrom(TypeVersion version) =>
        version.Schema.Kind == Kind ? new ArrayPlan<T>(MappedFormatter.Of<T>(version, 0)) : base.MapFrom(version);

    internal override int Count(object value) => RawValue.As<T[]>(value).Length;

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        foreach (T item in RawValue.As<T[]>(value))
        {
            _formatter.Write(writer, item);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (hollow is null)
        {
            reader.Context.Charge(ReadCost.Places(count, Unsafe.SizeOf<T>()), offset);
            hollow = new T[count];
            reader.Register(offset, hollow);
        }

        T[] items = RawValue.As<T[]>(hollow);
        reader.Expect(count, items.Length);
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = _formatter.Read(ref reader);
        }

        return items;
    }

    internal override void WriteLengths(GraphWriter writer, object value) => writer.WriteInt32(RawValue.As<T[]>(value).Length);

    internal override object CreateHollow(ref GraphReader reader)
    {
        int length = (int)reader.Wire.ReadRange(0, reader.Wire.Length);
        reader.Context.Charge(ReadCost.Places(length, Unsafe.SizeOf<T>()), reader.Wire.Position);
        return new T[length];
    }
}
