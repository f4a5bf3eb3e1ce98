// What a type can reach through places whose type is known: whether two places could ever hold the same object, how deep
// its arrays nest before an object can be deferred, and which types are written without tag. Decided once a type.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Facts about a plan.</summary>
/// <param name="IsAliasFree">No object reachable from a value can be reached twice: nothing needs to be tracked.</param>
/// <param name="IsChain">The objects that a value reaches are one path: each has one place at most for the next. Only a ring can
/// make it come back to one of them.</param>
/// <param name="IsFlat">Its content is fields of single values alone, and nobody is called: reading it collects nothing.</param>
/// <param name="InlineDepth">Levels of arrays that a value takes at least: its own and those of structs inside it.</param>
/// <param name="Closure">The plan itself and all plans that its values may hold without tag.</param>
internal sealed record PlanAnalysis(bool IsAliasFree, bool IsChain, bool IsFlat, int InlineDepth, IReadOnlyList<Plan> Closure)
{
    internal static PlanAnalysis Of(Plan plan)
    {
        List<Plan> closure = [plan];
        bool aliasFree = true;
        for (int index = 0; index < closure.Count; index++)
        {
            Plan at = closure[index];
            aliasFree &= at.Kind is PlanKind.Fields or PlanKind.Value or PlanKind.Array or PlanKind.Parts;
            foreach (PlanMember member in at.Members)
            {
                aliasFree &= member.Formatter.Kind != WireKind.Any;
                if (member.Formatter.Nested is { } nested && !closure.Contains(nested))
                {
                    closure.Add(nested);
                }
            }
        }

        aliasFree = aliasFree && closure.Count < CodecLimits.NestingMax / 2 && OnePlaceEach(plan, [plan]);
        return new PlanAnalysis(aliasFree, !aliasFree && IsChainOf(closure), IsFlatOf(plan), DepthOf(plan), closure);
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

    private static bool IsChainOf(List<Plan> closure)
    {
        foreach (Plan plan in closure)
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
            if (plan.Kind != PlanKind.Fields || plan.HasCallbacks || places > (plan.Type.IsValueType ? 0 : 1))
            {
                return false;
            }
        }

        return true;
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
