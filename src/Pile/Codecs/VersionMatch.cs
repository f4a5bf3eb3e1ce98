// Whether a stored version of a type is what today's plan writes: same places in the same order, of the same kinds, and the
// same holds for every type that stands in it without tag. Cases of an F# union may have been added behind those that it had.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Compares schemas with plans.</summary>
internal static class VersionMatch
{
    internal static bool IsSame(TypeVersion version, Plan plan)
    {
        List<(TypeVersion Version, Plan Plan)> pairs = [(version, plan)];
        HashSet<(TypeVersion Version, Plan Plan)> seen = [(version, plan)];
        for (int index = 0; index < pairs.Count; index++)
        {
            (TypeVersion stored, Plan today) = pairs[index];
            if (stored.Current == today)
            {
                continue;
            }

            if (stored.Schema.Kind != today.Kind || stored.Schema.Fields.Count != today.Members.Count)
            {
                return false;
            }

            for (int place = 0; place < today.Members.Count; place++)
            {
                SchemaField field = stored.Schema.Fields[place];
                PlanMember member = today.Members[place];
                Plan? nested = member.Formatter.Nested;
                if (field.Name != member.Name || field.Declaring != member.Declaring || field.Kind != member.Formatter.Kind || (field.Nested != 0) != nested is not null
                    || !UnionCases.Begins(member.Cases, field.Cases))
                {
                    return false;
                }

                if (nested is not null)
                {
                    // One whose schema is lost is no type's any more.
                    if (stored.Table.Find(field.Nested) is not { } known || known.Schema.TypeName != TypeName.Of(nested.Type))
                    {
                        return false;
                    }

                    if (seen.Add((known, nested)))
                    {
                        pairs.Add((known, nested));
                    }
                }
            }

            if (!stored.Schema.MayTakeCasesOf(today))
            {
                return false;
            }
        }

        return true;
    }
}
