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
        var array = (Array)CreateHollow(ref reader);
        reader.Expect(count, array.Length + (2 * _rank));
        if (hollow is null)
        {
            reader.Register(offset, array);
        }
        else if (!HasSameShape(array, (Array)hollow))
        {
            Throw.CorruptedValue("an array of other lengths than announced", offset);
        }

        array = (Array?)hollow ?? array;
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
        int[] lengths = new int[_rank];
        int[] bounds = new int[_rank];
        long elements = 1;
        bool isEmpty = false;
        for (int dimension = 0; dimension < _rank; dimension++)
        {
            lengths[dimension] = (int)reader.Wire.ReadRange(0, Array.MaxLength);
            bounds[dimension] = reader.Wire.ReadInt32();
            isEmpty |= lengths[dimension] == 0;
            elements = long.Min(elements * int.Max(lengths[dimension], 1), int.MaxValue);
            if ((long)bounds[dimension] + lengths[dimension] > int.MaxValue)
            {
                Throw.CorruptedValue("a dimension that ends beyond the largest index", reader.Wire.Position);
            }
        }

        elements = isEmpty ? 0 : elements;
        if (elements > reader.Wire.Length)
        {
            Throw.CorruptedValueOf($"an array of {elements:N0} elements in {reader.Wire.Length:N0} bytes", reader.Wire.Position);
        }

        reader.Context.Charge(elements * Unsafe.SizeOf<T>(), reader.Wire.Position);
        return Array.CreateInstanceFromArrayType(Type, lengths, bounds);
    }

    private bool HasSameShape(Array left, Array right)
    {
        for (int dimension = 0; dimension < _rank; dimension++)
        {
            if (left.GetLength(dimension) != right.GetLength(dimension) || left.GetLowerBound(dimension) != right.GetLowerBound(dimension))
            {
                return false;
            }
        }

        return true;
    }
}
