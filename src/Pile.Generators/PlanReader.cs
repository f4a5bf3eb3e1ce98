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
    /// <summary>The model of a type marked [PileObject], which is asked for, or [DataContract], which gets what there is for it.</summary>
    internal static PlanModel Read(INamedTypeSymbol type, Compilation compilation, bool isAsked)
    {
        List<Problem> problems = [];
        if ((type.IsRefLikeType ? "a ref struct" : type.IsStatic ? "a static class" : RefusedTypes.Why(type)) is { } why)
        {
            problems.Add(Problem.At(type, Diagnostics.RefusedType, isAsked, Name(type), why));
            return new PlanModel(HintNameOf(type), null, problems);
        }

        bool isPartial = IsPartial(type);
        if (isAsked && !isPartial)
        {
            problems.Add(Problem.At(type, Diagnostics.NotPartial, isAsked, Name(type)));
        }

        List<IFieldSymbol> fields = FieldSymbols.Of(type);
        MemberOrders.AddProblems(type, isAsked, problems);
        AddRefusals(type, fields, isAsked, isPartial, problems);

        // A warning is about values that a field may get, or about contracts; the plan serves all others.
        bool isSound = isPartial && (!isAsked || problems.Count == 0);
        if (isSound && WhyNot(type, fields, compilation) is { } reason)
        {
            isSound = false;
            problems.Add(Problem.At(type, Diagnostics.NoPlan, isAsked, Name(type), reason));
        }

        return new PlanModel(HintNameOf(type), isSound ? PlanSource.Of(type, fields) : null, problems);
    }

    /// <summary>Fields that can't be kept, the inherited ones too. Of a contract that is not partial, only its members count: it gets no
    /// plan. What a base class has is its own matter when it is marked.</summary>
    private static void AddRefusals(INamedTypeSymbol type, List<IFieldSymbol> fields, bool isAsked, bool isPartial, List<Problem> problems)
    {
        foreach (IFieldSymbol field in fields.Where(field => isAsked || isPartial || Marks.IsDataMember(field)).Where(field => IsMatterOf(type, field)))
        {
            if (RefusedTypes.WhyIn(field.Type) is { } refused)
            {
                problems.Add(RefusedField(type, field.AssociatedSymbol ?? field, refused, isAsked));
            }
        }

        foreach (IEventSymbol listeners in FieldSymbols.LevelsOf(type).SelectMany(level => level.GetMembers().OfType<IEventSymbol>()).Where(HasKeptField))
        {
            if ((isAsked || isPartial) && IsMatterOf(type, listeners))
            {
                problems.Add(RefusedField(type, listeners, "an event, whose listeners are delegates", isAsked));
            }
        }
    }

    private static bool IsMatterOf(INamedTypeSymbol type, ISymbol member) =>
        SymbolEqualityComparer.Default.Equals(member.ContainingType, type) || !Marks.IsPileObject(member.ContainingType);

    private static Problem RefusedField(INamedTypeSymbol type, ISymbol member, string why, bool isAsked)
    {
        ISymbol place = member.Locations.Any(at => at.IsInSource) ? member : type;
        return Problem.At(place, Diagnostics.RefusedField, isAsked, $"{member.ContainingType.Name}.{member.Name}", why);
    }

    /// <summary>An event declared like a field, without [field: NonSerialized].</summary>
    private static bool HasKeptField(IEventSymbol listeners) => !listeners.IsStatic && !listeners.IsAbstract
        && listeners.DeclaringSyntaxReferences.Select(at => at.GetSyntax().Parent?.Parent).OfType<EventFieldDeclarationSyntax>().Any(declared =>
            !declared.AttributeLists.Any(list => list.Target?.Identifier.ValueText == "field"
                && list.Attributes.Any(attribute => attribute.Name.ToString().Contains("NonSerialized"))));

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

        for (INamedTypeSymbol? at = type.BaseType; at is not null; at = at.BaseType)
        {
            if (at.SpecialType is not (SpecialType.System_Object or SpecialType.System_ValueType)
                && !SymbolEqualityComparer.Default.Equals(at.ContainingAssembly, type.ContainingAssembly))
            {
                return $"the private fields of its base {at.Name} are in another assembly";
            }
        }

        IFieldSymbol? hidden = fields.FirstOrDefault(field => !compilation.IsSymbolAccessibleWithin(field.Type, type));
        return PrimaryParameters.Captured(type, compilation) is { } captured ? $"members use {captured}, a parameter of a primary constructor, which is kept in a field without a name"
            : hidden is not null ? $"it can't name the type of {hidden.ContainingType.Name}.{FieldSymbols.NameOf(hidden)}"
            : fields.Any(field => field.Type.TypeKind is TypeKind.Pointer or TypeKind.FunctionPointer) ? "a pointer is no argument of a generic method"
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

    /// <summary>The name of a generated file. The compiler takes no two that differ by case alone, so the name as it is written is in it once more, as a number (FNV-1a).</summary>
    private static string HintNameOf(INamedTypeSymbol type)
    {
        string name = type.ToDisplayString();
        uint number = name.Aggregate(2166136261, static (sum, letter) => unchecked((sum ^ letter) * 16777619));
        return $"{name.Replace("@", "").Replace('<', '(').Replace('>', ')')}.{number:x8}.PileFields.g.cs";
    }
}
