// What can't be kept, said in words. The path is found afterwards (GraphPath), so that writing pays nothing for it.
// It decides nothing: Refusals and the plans do.
using System;

namespace Pile.Codecs;

/// <summary>Exceptions for refused values.</summary>
internal static class Refuse
{
    /// <summary>An object of a type that stands for something outside the object graph.</summary>
    internal static PileRefusedException AType(Type type, object? value, string? why = null) => new(
        $"{TypeName.Display(type)} can't be stored: {why ?? Treatments.WhyRefused(type)}. {(Refusals.IsSequence(type) ? "Store what it gives (ToArray, ToList), or mark" : "Mark")} the field [NonSerialized], an auto-property [field: NonSerialized], or leave it null.", value);

    /// <summary>Fails where a type, one that declares a field of it, or a field has a name that no schema may have.</summary>
    internal static void LongNames(Plan plan, object? value)
    {
        Name(plan.Type, value);
        foreach (PlanMember member in plan.Members)
        {
            LongName(plan.Type, member.Declaring, value);
            LongName(plan.Type, member.Name, value);
        }
    }

    /// <summary>Fails where the name of a type is one that no stored name may be, or is never found again.</summary>
    internal static void Name(Type type, object? value)
    {
        string name = TypeName.Of(type, asDefinition: type.IsGenericTypeDefinition);
        LongName(type, name, value);
        int nesting = TypeName.NestingOf(type);
        int arrays = TypeNameParser.ArraysIn(name);
        if (nesting > CodecLimits.TypeNestingMax || arrays > CodecLimits.TypeArraysMax)
        {
            throw new PileRefusedException(
                FormattableString.Invariant($"{type.Namespace}.{type.Name} can't be stored: in its type are {nesting:N0} generic types within each other and {arrays:N0} arrays, and {CodecLimits.TypeNestingMax} (TypeNestingMax) and {CodecLimits.TypeArraysMax} (TypeArraysMax) are the most that are found again by name. Give it fewer within each other."), value);
        }
    }

    private static void LongName(Type type, string name, object? value)
    {
        if (name.Length > CodecLimits.SchemaNameCharsMax)
        {
            throw new PileRefusedException(
                FormattableString.Invariant($"{type.Namespace}.{type.Name} can't be stored: a name of {name.Length:N0} chars stands in its description, and {CodecLimits.SchemaNameCharsMax:N0} are the most (SchemaNameCharsMax). Give it fewer type arguments within each other."), value);
        }
    }

    /// <summary>A container that refers to itself and can't be made before its content is known.</summary>
    internal static PileRefusedException ACycleThroughAWhole(object? value) => new(
        "A container that can only be built whole holds, in its keys, a reference to itself.", value);

    /// <summary>A key of a frozen collection that is an object around it.</summary>
    internal static PileRefusedException AKeyAround(object value) => new(
        $"{TypeName.Display(value.GetType())} is a key of a frozen collection that stands in it, and its hash code or the collection's comparer may need what it holds: the collection is made before its key is read to the end. Keep a HashSet or a Dictionary there, or compare such keys by reference (ReferenceEqualityComparer).", value);

    /// <summary>Structs, or containers that can only be built whole, nested beyond the limit.</summary>
    internal static PileRefusedException TooDeep(object value) => new(
        $"{TypeName.Display(value.GetType())} stands too deep: stored values nest at most {CodecLimits.NestingMax} levels (NestingMax), and what frozen collections have for items and keys, or structs for fields, can't be put off to the end. Let the items hold less within each other, or use a HashSet or a Dictionary.", value)
    {
        IsTooDeep = true,
    };

    /// <summary>A collection that changed while it was written.</summary>
    internal static InvalidOperationException Changed(Type type) => new(
        $"{TypeName.Display(type)} was changed while it was being stored. Nothing was stored.");
}
