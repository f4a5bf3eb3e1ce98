// What can't be kept, said in words. The path is found afterwards (GraphPath), so that writing pays nothing for it.
// It decides nothing: Refusals and the plans do.
using System;

namespace Pile.Codecs;

/// <summary>Exceptions for refused values.</summary>
internal static class Refuse
{
    /// <summary>An object of a type that stands for something outside the object graph.</summary>
    internal static PileRefusedException AType(Type type, object? value) => new(
        $"{TypeName.Display(type)} can't be stored: {Treatments.WhyRefused(type)}. Mark the field [NonSerialized], or leave it null.", value);

    /// <summary>A container that refers to itself and can't be made before its content is known.</summary>
    internal static PileRefusedException ACycleThroughAWhole(object? value) => new(
        "A container that can only be built whole holds, in its keys, a reference to itself.", value);

    /// <summary>Structs, or containers that can only be built whole, nested beyond the limit.</summary>
    internal static PileRefusedException TooDeep(object value) => new(
        $"{TypeName.Display(value.GetType())} stands too deep inside of values that can't be put off to the end.", value);

    /// <summary>A collection that changed while it was written.</summary>
    internal static InvalidOperationException Changed(Type type) => new(
        $"{TypeName.Display(type)} was changed while it was being stored. Nothing was stored.");
}
