// The stable name of a type: what a schema says. Assembly and full name for the program's types, the full name alone for the
// framework's, because those move between assemblies. No version, no key: an update of either changes nothing.
// A name is compared, and taken apart into names that are compared; it is never used to load anything.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Text;

namespace Pile.Codecs;

/// <summary>Names of types.</summary>
internal static class TypeName
{
    /// <summary>More type parameters than a compiler takes are damage.</summary>
    private const int ArityMax = 1000;

    /// <summary>Of the hash in names of types of one file: SHA-256, in hexadecimal.</summary>
    private const int FileHashChars = 64;

    private static readonly SearchValues<char> _hex = SearchValues.Create("0123456789ABCDEF");

    /// <summary>The name of a type: <c>Shop!Shop.Order</c>, <c>System.Collections.Generic.List`1&lt;Shop!Shop.Line&gt;</c>, <c>System.Int32[,]</c>.</summary>
    internal static string Of(Type type)
    {
        if (!type.IsArray && !type.IsGenericType)
        {
            return OfDefinition(type, type.FullName);
        }

        var name = new StringBuilder();
        Append(name, type);
        return name.ToString();
    }

    /// <summary>The names that a definition, or a type without arguments, had in earlier builds: those of <see cref="PileNameAttribute"/> on it and on its assembly, and an F# union's own.</summary>
    internal static IEnumerable<string> FormerOf(Type type)
    {
        string[] marks = MarksOn(type);
        string[] types = [.. marks, .. UnionCases.FormerOf(type, marks)];
        string[] assemblies = IsFramework(type) ? [] : MarksOn(type.Assembly);
        string[] plain = Array.FindAll(types, static name => !name.Contains('!', StringComparison.Ordinal));
        return types.Except(plain)
            .Concat(plain.Select(name => OfDefinition(type, name)))
            .Concat(assemblies.SelectMany(assembly => plain.Append(type.FullName).Select(name => $"{assembly}!{name}")));
    }

    /// <summary>The former names that stand on a type or an assembly itself.</summary>
    internal static string[] MarksOn(ICustomAttributeProvider marked) =>
        Array.ConvertAll((PileNameAttribute[])marked.GetCustomAttributes(typeof(PileNameAttribute), inherit: false), static mark => mark.Name);

    /// <summary>The name of a type of the same assembly and arguments under a full name.</summary>
    private static string OfDefinition(Type type, string? fullName) =>
        IsFramework(type) ? fullName ?? type.Name : $"{type.Assembly.GetName().Name}!{fullName ?? type.Name}";

    /// <summary>A name as C# writes it, for messages.</summary>
    internal static string Display(Type type)
    {
        if (type.IsArray)
        {
            return $"{Display(type.GetElementType()!)}[{new string(',', type.GetArrayRank() - 1)}]";
        }

        if (!type.IsGenericType)
        {
            return (type.FullName ?? type.Name).Replace('+', '.');
        }

        // The arguments of a type inside a generic one are those of all types around it.
        Type definition = type.GetGenericTypeDefinition();
        var name = new StringBuilder();
        foreach (string part in (definition.FullName ?? definition.Name).Split('+'))
        {
            int mark = part.IndexOf('`', StringComparison.Ordinal);
            name.Append(name.Length > 0 ? "." : string.Empty).Append(mark < 0 ? part : part[..mark]);
        }

        return $"{name}<{string.Join(", ", Array.ConvertAll(type.GetGenericArguments(), Display))}>";
    }

    /// <summary>The name of a definition as a program writes it: <c>Shop.Order</c>, <c>Shop.Pair&lt;,&gt;</c>.</summary>
    internal static string ToSource(string definition)
    {
        var source = new StringBuilder();
        string[] parts = definition[(definition.IndexOf('!', StringComparison.Ordinal) + 1)..].Split('+');
        foreach (string part in parts)
        {
            int mark = part.IndexOf('`', StringComparison.Ordinal);
            source.Append(source.Length > 0 ? "." : string.Empty).Append(mark < 0 ? part : part[..mark]);
            if (mark >= 0)
            {
                int commas = int.TryParse(part.AsSpan(mark + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int arity) ? int.Clamp(arity, 1, ArityMax) - 1 : 0;
                source.Append('<').Append(',', commas).Append('>');
            }
        }

        return source.ToString();
    }

    /// <summary>Whether a name without arguments is that of a type of one file (<c>file class</c>), which has a hash of the file's path in it: <c>Shop!Shop.&lt;Orders&gt;F{hash}__Order</c>.</summary>
    internal static bool IsFileScoped(string definition) =>
        definition.IndexOf(">F", StringComparison.Ordinal) is var end and > 0 && definition.IndexOf('<', StringComparison.Ordinal) < end && definition.LastIndexOf('<') < end
        && definition.Length > end + 2 + FileHashChars && definition.AsSpan(end + 2, FileHashChars).IndexOfAnyExcept(_hex) < 0 && definition.AsSpan(end + 2 + FileHashChars).StartsWith("__");

    /// <summary>Whether a type is the framework's own.</summary>
    internal static bool IsFramework(Type type) => IsFramework(type.Assembly);

    /// <summary>Whether an assembly is the framework's own.</summary>
    internal static bool IsFramework(Assembly assembly)
    {
        // The full name is kept by the runtime; GetName makes a new one each time.
        ReadOnlySpan<char> name = assembly.FullName;
        int end = name.IndexOf(',');
        name = end < 0 ? name : name[..end];
        return name is "mscorlib" or "netstandard" or "System" || name.StartsWith("System.", StringComparison.Ordinal);
    }

    /// <summary>Whether generic types and arrays are nested so deep in a type that it may be one of endlessly many. Both count as one: a class that grows by
    /// either has as many types as there are ways to mix them.</summary>
    internal static bool IsDeep(Type type, int levels = 8) =>
        type.HasElementType ? levels == 0 || IsDeep(type.GetElementType()!, levels - 1)
        : type.IsGenericType && (levels == 0 || Array.Exists(type.GetGenericArguments(), argument => IsDeep(argument, levels - 1)));

    /// <summary>Generic types within each other in a type.</summary>
    internal static int NestingOf(Type type)
    {
        while (type.HasElementType)
        {
            type = type.GetElementType()!;
        }

        return type.IsConstructedGenericType ? 1 + type.GetGenericArguments().Max(NestingOf) : 0;
    }

    private static void Append(StringBuilder name, Type type)
    {
        if (type.IsArray)
        {
            Append(name, type.GetElementType()!);
            name.Append(type.IsSZArray ? "[]" : type.GetArrayRank() == 1 ? "[*]" : $"[{new string(',', type.GetArrayRank() - 1)}]");
            return;
        }

        if (!type.IsGenericType)
        {
            name.Append(Of(type));
            return;
        }

        name.Append(Of(type.GetGenericTypeDefinition(), asDefinition: true)).Append('<');
        Type[] arguments = type.GetGenericArguments();
        for (int index = 0; index < arguments.Length; index++)
        {
            name.Append(index > 0 ? "|" : string.Empty);
            Append(name, arguments[index]);
        }

        name.Append('>');
    }

    /// <summary>The name of an open generic type.</summary>
    internal static string Of(Type definition, bool asDefinition) =>
        asDefinition ? OfDefinition(definition, definition.FullName) : Of(definition);
}
