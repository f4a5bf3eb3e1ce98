// Which place each element of an object's array is, by its schema alone. What goes over objects without their CLR types
// (SchemaSkipper, descriptions, JSON) asks here.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Pile.Codecs;

/// <summary>Elements of stored objects.</summary>
internal static class SchemaLayout
{
    /// <summary>Dimensions that the runtime gives an array at most.</summary>
    private const int RankMax = 32;

    private static readonly SchemaField _any = new("", "", WireKind.Any, 0);
    private static readonly SchemaField _name = new("", "name", WireKind.Text, 0);

    /// <summary>Length and lower bound of each dimension.</summary>
    private static readonly SchemaField[] _dimensions = [.. Enumerable.Range(0, 2 * RankMax).Select(static index => new SchemaField("", $"{(index % 2 == 0 ? "length" : "lowerBound")}{index / 2}", WireKind.Int32, 0))];

    /// <summary>Fields before what repeats; a damaged schema may have none of those that repeat.</summary>
    internal static int FixedOf(Schema schema) => schema.Kind switch
    {
        PlanKind.Array or PlanKind.Value => 0,
        PlanKind.Grid => 2 * schema.Rank,
        PlanKind.Sequence => int.Max(0, schema.Fields.Count - 1),
        PlanKind.Map => int.Max(0, schema.Fields.Count - 2),
        PlanKind.KeysThenValues => 1,
        _ => schema.Fields.Count,
    };

    /// <summary>The names of the fields before what repeats: one that a base has too is preceded by its class.</summary>
    internal static string[] NamesOf(Schema schema)
    {
        string[] names = new string[FixedOf(schema)];
        HashSet<string> seen = [];
        for (int index = 0; index < names.Length; index++)
        {
            SchemaField field = FieldAt(schema, index, names.Length);
            names[index] = seen.Add(field.Name) ? field.Name : $"{field.Declaring}.{field.Name}";
        }

        return names;
    }

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
            PlanKind.Grid => rest < 0 ? _dimensions[int.Min(index, _dimensions.Length - 1)] : At(schema, 0),
            PlanKind.KeysThenValues => rest < 0 ? At(schema, 0) : At(schema, rest < (count - 1) / 2 ? 1 : 2),
            PlanKind.Serializable when rest >= 0 => rest % 2 == 0 ? _name : _any,
            PlanKind.Sequence when rest >= 0 => At(schema, schema.Fields.Count - 1),
            PlanKind.Map when rest >= 0 => At(schema, schema.Fields.Count - 2 + (rest % 2)),
            _ => At(schema, index),
        };
    }

    private static SchemaField At(Schema schema, int index) =>
        (uint)index < (uint)schema.Fields.Count ? schema.Fields[index] : _any;

    /// <summary>The rank that an array's name ends in; more than an array can have is a damaged name's.</summary>
    internal static int RankOf(string name)
    {
        int bracket = name.LastIndexOf('[');
        return bracket < 0 ? 1 : int.Min(RankMax, 1 + name.AsSpan(bracket).Count(','));
    }
}
