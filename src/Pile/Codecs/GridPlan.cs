// Arrays of several dimensions, and those that do not start at 0: lengths and lower bounds, then the elements in memory order.
// int[*] is not int[], even when it starts at 0.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Plan of an array type of any rank with elements of T.</summary>
internal sealed class GridPlan<T> : Plan
{
    private readonly Formatter<T> _formatter;
    private readonly PlanMember[] _members;
    private readonly int _rank;

    /// <summary>Today's plan.</summary>
    public GridPlan(Type type)
        : this(type, Formatters.Of<T>())
    {
    }

    private GridPlan(Type type, Formatter<T> formatter)
        : base(type, PlanKind.Grid)
    {
        _formatter = formatter;
        _members = [new("", "item", formatter)];
        _rank = type.GetArrayRank();
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override Plan MapFrom(TypeVersion version) =>
        version.Schema.Kind == Kind ? new GridPlan<T>(Type, MappedFormatter.Of<T>(version, 0)) : base.MapFrom(version);

    internal override int Count(object value) => checked(((Array)value).Length + (2 * _rank));

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        WriteLengths(writer, value);
        foreach (T item in RawValue.Elements<T>((Array)value))
        {
            _formatter.Write(writer, item);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        (int[] lengths, int[] bounds) = ReadShape(ref reader);
        var array = (Array)(hollow ?? Make(ref reader, lengths, bounds));
        reader.Expect(count, array.Length + (2 * _rank));
        if (hollow is null)
        {
            reader.Register(offset, array);
        }
        else if (!HasShape(array, lengths, bounds))
        {
            Throw.CorruptedValue("an array of other lengths than announced", offset);
        }

        Span<T> items = RawValue.Elements<T>(array);
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = _formatter.Read(ref reader);
        }

        return array;
    }

    internal override void WriteLengths(GraphWriter writer, object value)
    {
        var array = (Array)value;
        for (int dimension = 0; dimension < _rank; dimension++)
        {
            writer.WriteInt32(array.GetLength(dimension));
            writer.WriteInt32(array.GetLowerBound(dimension));
        }
    }

    internal override object CreateHollow(ref GraphReader reader)
    {
        (int[] lengths, int[] bounds) = ReadShape(ref reader);
        return Make(ref reader, lengths, bounds);
    }

    private (int[] Lengths, int[] Bounds) ReadShape(ref GraphReader reader)
    {
        int[] lengths = new int[_rank];
        int[] bounds = new int[_rank];
        for (int dimension = 0; dimension < _rank; dimension++)
        {
            lengths[dimension] = (int)reader.Wire.ReadRange(0, Array.MaxLength);
            bounds[dimension] = reader.Wire.ReadInt32();
            if ((long)bounds[dimension] + lengths[dimension] > int.MaxValue)
            {
                Throw.CorruptedValue("a dimension that ends beyond the largest index", reader.Wire.Position);
            }
        }

        return (lengths, bounds);
    }

    private Array Make(ref GraphReader reader, int[] lengths, int[] bounds)
    {
        // The runtime makes no array whose lengths before the first 0 multiply beyond its largest number, though it holds nothing.
        long elements = 1;
        long largest = 1;
        foreach (int length in lengths)
        {
            elements = long.Min(elements * length, 1L + uint.MaxValue);
            largest = long.Max(largest, elements);
        }

        if (elements > reader.Wire.Length || largest > uint.MaxValue)
        {
            Throw.CorruptedValueOf($"an array of {largest:N0} elements in {reader.Wire.Length:N0} bytes", reader.Wire.Position);
        }

        reader.Context.Charge(ReadCost.Places(elements, Unsafe.SizeOf<T>()), reader.Wire.Position);
        return Array.CreateInstanceFromArrayType(Type, lengths, bounds);
    }

    private bool HasShape(Array array, int[] lengths, int[] bounds)
    {
        for (int dimension = 0; dimension < _rank; dimension++)
        {
            if (array.GetLength(dimension) != lengths[dimension] || array.GetLowerBound(dimension) != bounds[dimension])
            {
                return false;
            }
        }

        return true;
    }
}
