// Looks at a marked type: what is wrong with it, and the source of its plan when nothing is.
// The source itself is PlanSource's.
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pile.Generators;

/// <summary>Makes models of types.</summary>
internal static class PlanReader
{
    /// <summary>The model of a type marked [PileObject] or [DataContract].</summary>
    internal static PlanModel Read(INamedTypeSymbol type, Compilation compilation, bool isAsked)
    {
        List<Problem> problems = [];
        List<IFieldSymbol> fields = FieldSymbols.Of(type);
        AddOrders(type, problems);
        if (isAsked)
        {
            AddRefusals(type, fields, problems);
        }

        bool isSound = problems.Count == 0;
        if (isSound && WhyNot(type, fields, compilation) is { } reason)
        {
            isSound = false;
            if (isAsked)
            {
                problems.Add(Problem.At(type, Diagnostics.NoPlan, Name(type), reason));
            }
        }

        return new PlanModel(HintNameOf(type), isSound ? PlanSource.Of(type, fields) : null, problems);
    }

    private static void AddRefusals(INamedTypeSymbol type, List<IFieldSymbol> fields, List<Problem> problems)
    {
        if ((type.IsRefLikeType ? "a ref struct" : type.IsStatic ? "a static class" : RefusedTypes.Why(type)) is { } why)
        {
            problems.Add(Problem.At(type, Diagnostics.RefusedType, Name(type), why));
            return;
        }

        if (!IsPartial(type))
        {
            problems.Add(Problem.At(type, Diagnostics.NotPartial, Name(type)));
        }

        foreach (IFieldSymbol field in fields)
        {
            if (RefusedTypes.Why(field.Type) is { } refused)
            {
                ISymbol place = field.AssociatedSymbol ?? field;
                problems.Add(Problem.At(place.Locations.Any(at => at.IsInSource) ? place : type, Diagnostics.RefusedField, $"{field.ContainingType.Name}.{FieldSymbols.NameOf(field)}", refused));
            }
        }

        for (INamedTypeSymbol? at = type; at is not null; at = at.BaseType)
        {
            foreach (IEventSymbol listeners in at.GetMembers().OfType<IEventSymbol>().Where(HasKeptField))
            {
                problems.Add(Problem.At(listeners, Diagnostics.RefusedField, $"{at.Name}.{listeners.Name}", "an event, whose listeners are delegates"));
            }
        }
    }

    /// <summary>An event declared like a field, without [field: NonSerialized].</summary>
    private static bool HasKeptField(IEventSymbol listeners) => !listeners.IsStatic && !listeners.IsAbstract
        && listeners.DeclaringSyntaxReferences.Select(at => at.GetSyntax().Parent?.Parent).OfType<EventFieldDeclarationSyntax>().Any(declared =>
            !declared.AttributeLists.Any(list => list.Target?.Identifier.ValueText == "field"
                && list.Attributes.Any(attribute => attribute.Name.ToString().Contains("NonSerialized"))));

    /// <summary>Two members of one type with one Order: whoever reads arrays by these numbers loses one of them.</summary>
    private static void AddOrders(INamedTypeSymbol type, List<Problem> problems)
    {
        Dictionary<int, ISymbol> seen = [];
        foreach (ISymbol member in type.GetMembers())
        {
            AttributeData? attribute = member.GetAttributes().FirstOrDefault(at => at.AttributeClass?.ToDisplayString() == "System.Runtime.Serialization.DataMemberAttribute");
            if (attribute?.NamedArguments.FirstOrDefault(at => at.Key == "Order").Value.Value is not int order)
            {
                continue;
            }

            if (seen.TryGetValue(order, out ISymbol? first))
            {
                problems.Add(Problem.At(member, Diagnostics.SameOrder, $"{type.Name}.{first.Name}", $"{type.Name}.{member.Name}", order.ToString(System.Globalization.CultureInfo.InvariantCulture)));
            }
            else
            {
                seen.Add(order, member);
            }
        }
    }

    private static string? WhyNot(INamedTypeSymbol type, List<IFieldSymbol> fields, Compilation compilation)
    {
        for (INamedTypeSymbol? at = type; at is not null; at = at.ContainingType)
        {
            if (at.IsGenericType)
            {
                return "it is generic";
            }

            if (at.DeclaredAccessibility is Accessibility.Private or Accessibility.Protected or Accessibility.ProtectedAndInternal || at.IsFileLocal)
            {
                return "its assembly as a whole can't name it";
            }
        }

        if (!IsPartial(type))
        {
            return "it is not partial";
        }

        for (INamedTypeSymbol? at = type.BaseType; at is not null; at = at.BaseType)
        {
            if (at.SpecialType is not (SpecialType.System_Object or SpecialType.System_ValueType)
                && !SymbolEqualityComparer.Default.Equals(at.ContainingAssembly, type.ContainingAssembly))
            {
                return $"the private fields of its base {at.Name} are in another assembly";
            }
        }

        IFieldSymbol? hidden = fields.FirstOrDefault(field => !compilation.IsSymbolAccessibleWithin(field.Type, type));
        return hidden is not null ? $"it can't name the type of {hidden.ContainingType.Name}.{FieldSymbols.NameOf(hidden)}"
            : fields.Any(field => field.IsFixedSizeBuffer || field.ContainingType.IsGenericType) ? "a fixed buffer or a generic base holds some of its fields"
            : null;
    }

    private static bool IsPartial(INamedTypeSymbol? type)
    {
        for (; type is not null; type = type.ContainingType)
        {
            if (!type.DeclaringSyntaxReferences.Any(at => at.GetSyntax() is TypeDeclarationSyntax syntax && syntax.Modifiers.Any(SyntaxKind.PartialKeyword)))
            {
                return false;
            }
        }

        return true;
    }

    private static string Name(INamedTypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.CSharpShortErrorMessageFormat);

    private static string HintNameOf(INamedTypeSymbol type) => type.ToDisplayString().Replace('<', '(').Replace('>', ')') + ".PileFields.g.cs";
}
