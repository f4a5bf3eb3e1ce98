// Which place each element of an object's array is, by its schema alone. What goes over objects without their CLR types
// (SchemaSkipper, descriptions, JSON) asks here.
using System;

namespace Pile.Codecs;

/// <summary>Elements of stored objects.</summary>
internal static class SchemaLayout
{
    private static readonly SchemaField _any = new("", "", WireKind.Any, 0);
    private static readonly SchemaField _name = new("", "name", WireKind.Text, 0);
    private static readonly SchemaField _length = new("", "length", WireKind.Int32, 0);

    /// <summary>Fields before what repeats; a damaged schema may have none of those that repeat.</summary>
    internal static int FixedOf(Schema schema) => schema.Kind switch
    {
        PlanKind.Array or PlanKind.Value => 0,
        PlanKind.Grid => 2 * RankOf(schema.TypeName),
        PlanKind.Sequence => int.Max(0, schema.Fields.Count - 1),
        PlanKind.Map => int.Max(0, schema.Fields.Count - 2),
        PlanKind.KeysThenValues => 1,
        _ => schema.Fields.Count,
    };

    /// <summary>The place of an element.</summary>
    /// <param name="schema">The schema.</param>
    /// <param name="index">The element, the tag not counted.</param>
    /// <param name="count">Elements in all, the tag not counted.</param>
    internal static SchemaField FieldAt(Schema schema, int index, int count)
    {
        int rest = index - FixedOf(schema);
        return schema.Kind switch
        {
            PlanKind.Array or PlanKind.Value => At(schema, 0),
            PlanKind.Grid => rest < 0 ? _length : At(schema, 0),
            PlanKind.KeysThenValues => rest < 0 ? At(schema, 0) : At(schema, rest < (count - 1) / 2 ? 1 : 2),
            PlanKind.Serializable when rest >= 0 => rest % 2 == 0 ? _name : _any,
            PlanKind.Sequence when rest >= 0 => At(schema, schema.Fields.Count - 1),
            PlanKind.Map when rest >= 0 => At(schema, schema.Fields.Count - 2 + (rest % 2)),
            _ => At(schema, index),
        };
    }

    private static SchemaField At(Schema schema, int index) =>
        (uint)index < (uint)schema.Fields.Count ? schema.Fields[index] : _any;

    /// <summary>The rank that an array's name ends in.</summary>
    private static int RankOf(string name)
    {
        int bracket = name.LastIndexOf('[');
        return bracket < 0 ? 1 : 1 + name.AsSpan(bracket).Count(',');
    }
}
