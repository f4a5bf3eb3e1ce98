// The framework's types that those lead to which the program has shown: what their fields are of, what is nested in them, and the heirs of an
// abstract class, each of the same assembly. Told by what was shown, never by a name in bytes, and by definitions, so that no type of a program
// comes with them. None that is refused, or that does something at its end. How a program names one that is not public is here as well.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>Types of the framework behind its public ones.</summary>
internal static class FrameworkKin
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>Bases of all kinds of things: their heirs have nothing to do with whoever derives from them.</summary>
    private static readonly Type[] _roots = [typeof(object), typeof(ValueType), typeof(Enum), typeof(Attribute), typeof(MarshalByRefObject)];

    private static readonly SearchValues<char> _takenApart = SearchValues.Create("[]&*,\\");

    /// <summary>Adds, by name, what types of the framework lead to.</summary>
    internal static void AddTo(Dictionary<string, Type> kin, Stack<Type> shown)
    {
        Dictionary<Assembly, ILookup<Type, Type>> heirs = [];
        while (shown.TryPop(out Type? next))
        {
            try
            {
                Type type = DefinitionOf(next);
                if (!type.IsGenericParameter && !IsEnd(type) && kin.TryAdd(TypeName.Of(type, asDefinition: type.IsGenericTypeDefinition), type))
                {
                    PushParts(type, shown);
                    PushHeirs(type, shown, heirs);
                }
            }
            catch (Exception missing) when (missing is TypeLoadException or IOException or BadImageFormatException)
            {
                // A part of it is of an assembly that is not there: so it is in no object either.
            }
        }
    }

    private static void PushParts(Type type, Stack<Type> open)
    {
        for (Type? at = type; at is not null && TypeName.IsFramework(at) && Array.IndexOf(_roots, at) < 0; at = at.BaseType)
        {
            foreach (Type part in TypeFields.Of(at, at.BaseType).SelectMany(static field => PartsOf(field.FieldType)).Where(part => part.Assembly == at.Assembly))
            {
                open.Push(part);
            }

            foreach (Type nested in NestedIn(DefinitionOf(at)))
            {
                open.Push(nested);
            }
        }
    }

    private static void PushHeirs(Type type, Stack<Type> open, Dictionary<Assembly, ILookup<Type, Type>> heirs)
    {
        if (!type.IsAbstract || !type.IsClass || Array.IndexOf(_roots, type) >= 0)
        {
            return;
        }

        if (!heirs.TryGetValue(type.Assembly, out ILookup<Type, Type>? known))
        {
            heirs.Add(type.Assembly, known = HeirsIn(type.Assembly));
        }

        foreach (Type heir in known[type])
        {
            open.Push(heir);
        }
    }

    /// <summary>The types nested in a definition of the framework.</summary>
    internal static Type[] NestedIn(Type definition) => definition.GetNestedTypes(BindingFlags.Public | BindingFlags.NonPublic);

    /// <summary>The line that adds the assembly of a type of the framework. Null for one that is in no assembly of the framework that the program has loaded.</summary>
    /// <param name="name">The full name of the type.</param>
    /// <param name="isPublic">Whether it is public itself. Not all that are have their name among the references of a program.</param>
    internal static string? LineBeside(string name, out bool isPublic)
    {
        isPublic = false;

        // No other characters: these take a name apart, and could lead elsewhere.
        if (name.AsSpan().ContainsAny(_takenApart))
        {
            return null;
        }

        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (TypeName.IsFramework(assembly) && TypeIn(assembly, name) is { } type)
            {
                isPublic = type.IsVisible;
                return (isPublic && assembly != typeof(object).Assembly ? null : PublicIn(type)) is { } beside
                    ? $"pile.Types.AddAssemblyOf<{beside}>()"
                    : $"pile.Types.AddAssemblyOf<T>(), where T is a type of {type.Assembly.GetName().Name}";
            }
        }

        return null;
    }

    private static string? PublicIn(Type type)
    {
        for (Type? around = type.DeclaringType; around is not null; around = around.DeclaringType)
        {
            if (CanBeArgument(around) && !around.IsGenericType)
            {
                return TypeName.Display(around);
            }
        }

        // Not all that are public have a name that a program can write: this one has.
        Type? best = type.Assembly == typeof(object).Assembly ? typeof(object) : TypesOf(type.Assembly).Where(static each => !each.IsNested && CanBeArgument(each))
            .MinBy(each => (each.IsGenericType ? 2 : 0) + (each.Namespace == type.Namespace ? 0 : 1));
        return best is null ? null : !best.IsGenericType ? TypeName.Display(best)
            : TypeName.ToSource(best.FullName!).Replace("<", "<object", StringComparison.Ordinal).Replace(",", ", object", StringComparison.Ordinal);
    }

    /// <summary>Whether C# takes a type as an argument, a generic one with object for each of its own.</summary>
    private static bool CanBeArgument(Type type) =>
        type.IsVisible && !(type.IsAbstract && type.IsSealed) && !type.IsByRefLike && type != typeof(void) && !type.IsDefined(typeof(ObsoleteAttribute), false)
            && !type.IsDefined(typeof(ExperimentalAttribute), false)
            && Array.TrueForAll(type.GetGenericArguments(), static parameter => parameter.GetGenericParameterConstraints().Length == 0
                && (parameter.GenericParameterAttributes & GenericParameterAttributes.NotNullableValueTypeConstraint) == 0);

    /// <summary>Whether no object of a type is made, or one does something at its end; or it needs nobody to lead to it.</summary>
    private static bool IsEnd(Type type) =>
        type.IsPointer || type.IsFunctionPointer || type.IsByRefLike || (type.IsAbstract && type.IsSealed)
            || (type.IsClass && (Refusals.Why(type) is not null || HasEnd(type)))
            || (Treatments.FrameworkType(TypeName.Of(type, asDefinition: type.IsGenericTypeDefinition)) == type);

    private static bool HasEnd(Type type)
    {
        for (Type? at = type; at is not null && at != typeof(object); at = at.BaseType)
        {
            if (at.GetMethod("Finalize", Declared, Type.EmptyTypes) is not null)
            {
                return true;
            }
        }

        return false;
    }

    private static Type DefinitionOf(Type type) => type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;

    /// <summary>What a place is made of: itself, elements, arguments.</summary>
    private static IEnumerable<Type> PartsOf(Type type) =>
        type.HasElementType ? PartsOf(type.GetElementType()!)
        : type.IsGenericParameter || type.IsFunctionPointer ? []
        : type.IsGenericType ? type.GetGenericArguments().SelectMany(PartsOf).Append(type)
        : [type];

    private static ILookup<Type, Type> HeirsIn(Assembly assembly) => TypesOf(assembly).Where(static type => type.BaseType is not null).ToLookup(static type => DefinitionOf(type.BaseType!));

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "What was removed stays unknown.")]
    private static Type[] TypesOf(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException some)
        {
            return [.. some.Types.OfType<Type>()];
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "What was removed is told as a public one is.")]
    private static Type? TypeIn(Assembly assembly, string name)
    {
        try
        {
            return assembly.GetType(name, throwOnError: false);
        }
        catch (Exception failure) when (failure is ArgumentException or TypeLoadException or IOException or BadImageFormatException)
        {
            // No name that a type can have: it may be damaged.
            return null;
        }
    }
}
