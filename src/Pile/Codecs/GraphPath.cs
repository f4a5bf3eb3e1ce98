// The path from a root to what was refused: Order.Lines[3].Handler. Found by looking for it after the refusal, breadth first,
// so that the shortest path is told and writing pays nothing for it.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>Paths in object graphs.</summary>
internal static class GraphPath
{
    private const int ObjectsMax = 4_000_000;

    /// <summary>The exception with the path in it.</summary>
    internal static PileRefusedException Explain(object root, PileRefusedException refused)
    {
        string path = Find(root, refused.Offender);
        return new PileRefusedException($"{path}: {refused.Message} Nothing was stored.", refused.Offender, path);
    }

    private static string Find(object root, object? offender)
    {
        string name = NameOf(root.GetType());
        if (ReferenceEquals(root, offender))
        {
            return name;
        }

        Queue<Step> open = new([new Step(null, name, root)]);
        HashSet<object> seen = new(ReferenceEqualityComparer.Instance) { root };
        int looked = 0;
        while (open.TryDequeue(out Step? step))
        {
            using IEnumerator<(string Part, object Value)> children = Children(step.Value).GetEnumerator();
            while (Next(children))
            {
                (string part, object value) = children.Current;
                if (IsOffender(value, offender))
                {
                    return new Step(step, part, value).ToString();
                }

                if (++looked == ObjectsMax)
                {
                    return name;
                }

                if (value is ValueType || seen.Add(value))
                {
                    open.Enqueue(new Step(step, part, value));
                }
            }
        }

        return name;
    }

    /// <summary>Goes to the next child. Where the program's own code throws, which enumerators and properties may be, there are no more: it must
    /// not hide what was refused.</summary>
    private static bool Next(IEnumerator<(string Part, object Value)> children)
    {
        try
        {
            return children.MoveNext();
        }
        catch (Exception)
        {
            return false;
        }
    }

    /// <summary>A boxed value is another object each time it is taken out of its field: told by its type and content.</summary>
    private static bool IsOffender(object value, object? offender)
    {
        try
        {
            return ReferenceEquals(value, offender) || (value is ValueType && offender is not null && value.GetType() == offender.GetType() && value.Equals(offender));
        }
        catch (Exception)
        {
            return false;
        }
    }

    private static IEnumerable<(string Part, object Value)> Children(object value)
    {
        Type type = value.GetType();
        if (type.IsPrimitive || type.IsEnum || type == typeof(string) || Refusals.Why(type) is not null || Surrogates.All.ContainsKey(Treatments.Canonical(type)))
        {
            yield break;
        }

        Plan plan = Plans.Of(type);
        if (plan.Kind is PlanKind.Map or PlanKind.KeysThenValues && value is IDictionary dictionary)
        {
            foreach (DictionaryEntry entry in dictionary)
            {
                string key = NameOfKey(entry.Key);
                yield return ($"[{key}].Key", entry.Key);
                if (entry.Value is { } item)
                {
                    yield return ($"[{key}]", item);
                }
            }
        }
        else if (plan.Kind is PlanKind.Array or PlanKind.Grid or PlanKind.Sequence or PlanKind.Map && value is IEnumerable items)
        {
            int index = 0;
            foreach (object? item in items)
            {
                if (item is not null)
                {
                    yield return ($"[{index}]", item);
                }

                index++;
            }
        }

        if (type.IsArray)
        {
            yield break;
        }

        Type? below = plan.Kind is PlanKind.Fields ? null : FrameworkBase(type);
        foreach (FieldInfo field in below == type ? [] : TypeFields.Of(type, below))
        {
            if (!field.FieldType.IsPointer && field.GetValue(value) is { } item)
            {
                yield return ($".{TypeFields.NameOf(field)}", item);
            }
        }

        // What a comparer or another part outside the fields holds.
        if (plan.Kind is not PlanKind.Fields && type.GetProperty("Comparer")?.GetValue(value) is { } comparer)
        {
            yield return (".Comparer", comparer);
        }
    }

    /// <summary>A key as its own code tells it, where that works.</summary>
    private static string NameOfKey(object key)
    {
        try
        {
            return key is string or ValueType ? Convert.ToString(key, CultureInfo.InvariantCulture)! : TypeName.Display(key.GetType());
        }
        catch (Exception)
        {
            return TypeName.Display(key.GetType());
        }
    }

    private static Type? FrameworkBase(Type type)
    {
        Type? at = type;
        while (at is not null && !TypeName.IsFramework(at))
        {
            at = at.BaseType;
        }

        return at;
    }

    private static string NameOf(Type type)
    {
        int mark = type.Name.IndexOf('`', StringComparison.Ordinal);
        return type.IsArray ? TypeName.Display(type) : mark < 0 ? type.Name : type.Name[..mark];
    }

    private sealed record Step(Step? From, string Part, object Value)
    {
        public override string ToString()
        {
            List<string> parts = [];
            for (Step? at = this; at is not null; at = at.From)
            {
                parts.Add(at.Part);
            }

            parts.Reverse();
            return string.Concat(parts);
        }
    }
}
