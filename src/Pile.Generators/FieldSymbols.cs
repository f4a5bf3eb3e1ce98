// The fields that Pile keeps of a type, in its order (TypeFields of src/Pile): base first, each type's in the order of
// declaration, without those marked [NonSerialized]. The registration is held against the run time's own view.
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Pile.Generators;

/// <summary>Fields as symbols.</summary>
internal static class FieldSymbols
{
    internal static List<IFieldSymbol> Of(INamedTypeSymbol type) =>
        [.. LevelsOf(type).SelectMany(level => level.GetMembers().OfType<IFieldSymbol>()).Where(IsKept)];

    /// <summary>A type and its bases, the outermost base first.</summary>
    internal static List<INamedTypeSymbol> LevelsOf(INamedTypeSymbol type)
    {
        List<INamedTypeSymbol> levels = [];
        for (INamedTypeSymbol? at = type; at is not null; at = at.BaseType)
        {
            levels.Insert(0, at);
        }

        return levels;
    }

    /// <summary>The name by which people know a field: its property's or event's, where it has one.</summary>
    internal static string NameOf(IFieldSymbol field) => field.AssociatedSymbol?.Name ?? field.Name;

    private static bool IsKept(IFieldSymbol field) => !field.IsStatic && !field.IsConst && !IsMarked(field);

    private static bool IsMarked(IFieldSymbol field) =>
        field.GetAttributes().Any(attribute => attribute.AttributeClass?.ToDisplayString() == "System.NonSerializedAttribute");
}
