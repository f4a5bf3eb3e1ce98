// Members of a contract that have one Order: whoever reads arrays by these numbers loses one of them.
// Inherited members count as in ContractObject of src/Pile/Codecs: all but private ones, and properties that a derived class replaces.
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Pile.Generators;

/// <summary>Orders of [DataMember].</summary>
internal static class MemberOrders
{
    /// <summary>Adds a problem for each member whose Order another one has before it, base classes first.</summary>
    internal static void AddProblems(INamedTypeSymbol type, bool isAsked, List<Problem> problems)
    {
        Dictionary<int, ISymbol> seen = [];
        foreach (ISymbol member in FieldSymbols.LevelsOf(type).SelectMany(level => level.GetMembers()).Where(member => IsVisible(member, type)))
        {
            if (Marks.OrderOf(member) is not { } order)
            {
                continue;
            }

            if (!seen.TryGetValue(order, out ISymbol? first))
            {
                seen.Add(order, member);
            }
            else if (SymbolEqualityComparer.Default.Equals(member.ContainingType, type) || !Marks.IsLookedAt(member.ContainingType))
            {
                // Else the base class tells it itself.
                ISymbol place = member.Locations.Any(at => at.IsInSource) ? member : type;
                problems.Add(Problem.At(place, Diagnostics.SameOrder, isAsked, NameOf(first), NameOf(member), order.ToString(CultureInfo.InvariantCulture)));
            }
        }
    }

    private static bool IsVisible(ISymbol member, INamedTypeSymbol type)
    {
        if (SymbolEqualityComparer.Default.Equals(member.ContainingType, type))
        {
            return true;
        }

        return member.DeclaredAccessibility != Accessibility.Private && (member is not IPropertySymbol property || !IsReplaced(property, type));
    }

    private static bool IsReplaced(IPropertySymbol property, INamedTypeSymbol type)
    {
        for (INamedTypeSymbol at = type; !SymbolEqualityComparer.Default.Equals(at, property.ContainingType); at = at.BaseType!)
        {
            if (at.GetMembers(property.Name).OfType<IPropertySymbol>().Any(other => SymbolEqualityComparer.Default.Equals(other.Type, property.Type)))
            {
                return true;
            }
        }

        return false;
    }

    private static string NameOf(ISymbol member) => $"{member.ContainingType.Name}.{member.Name}";
}
