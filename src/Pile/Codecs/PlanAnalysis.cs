// What a type can reach through places whose type is known: whether two places could ever hold the same object, how deep
// its arrays nest before an object can be deferred, and which types are written without tag. Decided once a type.
// Types that all lead to each other have the same closure: none keeps it, and each looks at it only until the answer is no.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Facts about a plan.</summary>
/// <param name="IsAliasFree">No object reachable from a value can be reached twice: nothing needs to be tracked.</param>
/// <param name="IsChain">The objects that a value reaches are one path: each has one place at most for the next. Only a ring can
/// make it come back to one of them.</param>
/// <param name="IsFlat">Its content is fields of single values alone, and nobody is called: reading it collects nothing.</param>
/// <param name="InlineDepth">Levels of arrays that a value takes at least: its own and those of structs inside it.</param>
internal sealed record PlanAnalysis(bool IsAliasFree, bool IsChain, bool IsFlat, int InlineDepth)
{
    internal static PlanAnalysis Of(Plan plan)
    {
        bool aliasFree = true;
        bool isChain = true;
        int count = 0;
        foreach (Plan at in ClosureOf(plan))
        {
            aliasFree = aliasFree && ++count < CodecLimits.NestingMax / 2 && MayBeAliasFree(at);
            isChain = isChain && IsLink(at);
            if (!aliasFree && !isChain)
            {
                break;
            }
        }

        aliasFree = aliasFree && OnePlaceEach(plan, [plan]);
        return new PlanAnalysis(aliasFree, !aliasFree && isChain, IsFlatOf(plan), DepthOf(plan));
    }

    /// <summary>A plan itself and all plans that its values may hold without tag, found as far as they are asked for.</summary>
    internal static IEnumerable<Plan> ClosureOf(Plan plan)
    {
        List<Plan> closure = [plan];
        HashSet<Plan> seen = [plan];
        for (int index = 0; index < closure.Count; index++)
        {
            yield return closure[index];
            foreach (PlanMember member in closure[index].Members)
            {
                if (member.Formatter.Nested is { } nested && seen.Add(nested))
                {
                    closure.Add(nested);
                }
            }
        }
    }

    private static bool MayBeAliasFree(Plan plan)
    {
        bool aliasFree = plan.Kind is PlanKind.Fields or PlanKind.Value or PlanKind.Array or PlanKind.Parts;
        foreach (PlanMember member in plan.Members)
        {
            aliasFree &= member.Formatter.Kind != WireKind.Any;
        }

        return aliasFree;
    }

    /// <summary>Whether each class can be met in one place at most. Walks places, not types: a struct in two places brings its
    /// objects twice, and so does whatever repeats.</summary>
    private static bool OnePlaceEach(Plan plan, HashSet<Plan> objects)
    {
        bool repeats = plan.Kind is not PlanKind.Fields;
        foreach (PlanMember member in plan.Members)
        {
            Formatter formatter = member.Formatter;
            if (formatter.Nested is not { } nested)
            {
                continue;
            }

            if (formatter.Kind == WireKind.Exact && (repeats || !objects.Add(nested)))
            {
                return false;
            }

            int before = objects.Count;
            if (!OnePlaceEach(nested, objects) || (repeats && objects.Count > before))
            {
                return false;
            }
        }

        return true;
    }

    private static bool IsLink(Plan plan)
    {
        int places = 0;
        foreach (PlanMember member in plan.Members)
        {
            places += member.Formatter.Kind switch
            {
                WireKind.Exact => 1,
                WireKind.Any => 2,
                _ => 0,
            };
        }

        // A struct may stand in several places of one object: then so does what it holds.
        return plan.Kind == PlanKind.Fields && !plan.HasCallbacks && places <= (plan.Type.IsValueType ? 0 : 1);
    }

    private static bool IsFlatOf(Plan plan)
    {
        bool isFlat = plan.Kind == PlanKind.Fields && !plan.HasCallbacks;
        foreach (PlanMember member in plan.Members)
        {
            isFlat &= (member.Formatter.Kind & ~WireKind.Nullable) is not (WireKind.Any or WireKind.Exact or WireKind.Inline or WireKind.Refused);
        }

        return isFlat;
    }

    private static int DepthOf(Plan plan)
    {
        int deepest = 0;
        foreach (PlanMember member in plan.Members)
        {
            if ((member.Formatter.Kind & ~WireKind.Nullable) == WireKind.Inline)
            {
                deepest = int.Max(deepest, DepthOf(member.Formatter.Nested!));
            }
        }

        return 1 + deepest;
    }
}
