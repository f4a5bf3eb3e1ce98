// The framework's types that no program can name, behind its public ones: what is nested in those that the program has shown, such as the nodes of a
// collection. Told by what was shown, never by a name in bytes, and by definitions, so that no type of a program comes with them. None that is refused, or
// that does something at its end. And the line that adds any other one.
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
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly SearchValues<char> _takenApart = SearchValues.Create("[]&*,\\");

    /// <summary>Adds, by name, what is nested in types of the framework and their bases.</summary>
    internal static void AddTo(Dictionary<string, Type> kin, Stack<Type> shown)
    {
        while (shown.TryPop(out Type? type))
        {
            for (Type? at = type; at is not null && TypeName.IsFramework(at); at = at.BaseType)
            {
                foreach (Type nested in NestedIn(at))
                {
                    _ = kin.TryAdd(TypeName.Of(nested, asDefinition: nested.IsGenericTypeDefinition), nested);
                }
            }
        }
    }

    /// <summary>The types nested in a type of the framework of which objects may come back, as definitions.</summary>
    internal static IEnumerable<Type> NestedIn(Type type) => type.IsArray ? [] : type.GetNestedTypes(BindingFlags.Public | BindingFlags.NonPublic).Where(IsMade);

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
                return type.Assembly == typeof(object).Assembly ? "pile.Types.AddAssemblyOf<object>()" : $"pile.Types.AddAssemblyOf<T>(), where T is a public type of {type.Assembly.GetName().Name}";
            }
        }

        return null;
    }

    /// <summary>Whether objects of a type may come back.</summary>
    private static bool IsMade(Type type) => !type.IsByRefLike && !(type.IsAbstract && type.IsSealed) && !(type.IsClass && (Refusals.Why(type) is not null || HasEnd(type)));

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
