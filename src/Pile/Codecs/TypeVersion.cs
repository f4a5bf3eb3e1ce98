// One version of a type in one pile: its number, its schema, and the plan that reads it. The plan is found at the first use:
// today's own when nothing changed since, else a mapped one.
using System;
using System.Threading;

namespace Pile.Codecs;

/// <summary>A numbered version. Thread-safe.</summary>
internal sealed class TypeVersion(TypeTable table, Schema schema)
{
    private Plan? _plan;

    /// <summary>Its description. Replaced only by one that is the same but for further cases of unions.</summary>
    internal Schema Schema { get; set; } = schema;

    /// <summary>The names of its fields in descriptions, made once.</summary>
    internal string[] MemberNames => field ??= SchemaLayout.NamesOf(Schema); // Two threads may make one each: they are alike.

    /// <summary>The table that it belongs to.</summary>
    internal TypeTable Table { get; } = table;

    /// <summary>The plan that writes this version today, or null when today's type is another version, or none was found yet.</summary>
    internal Plan? Current { get; private set; }

    /// <summary>The plan that reads it.</summary>
    /// <exception cref="PileUnknownTypeException">The program has not shown the type to the pile.</exception>
    internal Plan Plan => _plan ?? Find();

    /// <summary>Says that a plan writes this version.</summary>
    internal void Bind(Plan plan)
    {
        Current = plan;
        Volatile.Write(ref _plan, plan);
    }

    private Plan Find()
    {
        Type type = Table.ResolveClosed(Schema.TypeName);
        Plan today = Plans.ToRead(type);
        if (VersionMatch.IsSame(this, today))
        {
            Bind(today);
            return today;
        }

        AnonymousTypes.RefuseOther(type, Schema);
        Plan mapped = today.MapFrom(this);
        return Interlocked.CompareExchange(ref _plan, mapped, null) ?? mapped;
    }
}
