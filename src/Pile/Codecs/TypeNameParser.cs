// Takes a stored type name apart: definition, arguments, array ranks. Each part is looked up by the caller; parts that are all
// known make a type, anything else makes none. Depth and length are bounded, because the name may be damaged.
using System;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Types of stored names.</summary>
internal static class TypeNameParser
{
    private const int LengthMax = 1 << 16;

    /// <summary>The type of a name whose parts are all found, or null.</summary>
    internal static Type? Resolve(string name, Func<string, Type?> find)
    {
        int position = 0;
        return name.Length > LengthMax || ArraysIn(name) > CodecLimits.TypeArraysMax ? null
            : Read(name, ref position, find, CodecLimits.TypeNestingMax + 1) is { } type && position == name.Length ? type
            : null;
    }

    /// <summary>Arrays that a name speaks of.</summary>
    internal static int ArraysIn(string name) => name.AsSpan().Count('[');

    private static Type? Read(string name, ref int position, Func<string, Type?> find, int depth)
    {
        if (depth == 0)
        {
            return null;
        }

        int end = EndOfName(name, position);
        Type? type = find(name[position..end]);
        position = end;
        if (type is not null && position < name.Length && name[position] == '<')
        {
            type = ReadArguments(name, ref position, find, depth, type);
        }

        while (type is not null && position < name.Length && name[position] == '[')
        {
            type = ReadRank(name, ref position, type);
        }

        return type;
    }

    /// <summary>Where the name of a definition ends. The compiler's own classes (of collection expressions, of file-local types) begin a simple
    /// name with brackets, which belong to it.</summary>
    private static int EndOfName(string name, int position)
    {
        int open = 0;
        for (int at = position; at < name.Length; at++)
        {
            char code = name[at];
            if (code == '<' && (open > 0 || at == position || name[at - 1] is '!' or '.' or '+'))
            {
                open++;
            }
            else if (open > 0)
            {
                open -= code == '>' ? 1 : 0;
            }
            else if (code is '<' or '>' or '|' or '[')
            {
                return at;
            }
        }

        return name.Length;
    }

    private static Type? ReadArguments(string name, ref int position, Func<string, Type?> find, int depth, Type definition)
    {
        List<Type> arguments = [];
        do
        {
            position++;
            if (Read(name, ref position, find, depth - 1) is not { } argument)
            {
                return null;
            }

            arguments.Add(argument);
        }
        while (position < name.Length && name[position] == '|');

        if (position >= name.Length || name[position] != '>' || !definition.IsGenericTypeDefinition || definition.GetGenericArguments().Length != arguments.Count)
        {
            return null;
        }

        position++;
        try
        {
            return definition.MakeGenericType([.. arguments]);
        }
        catch (Exception failure) when (failure is ArgumentException or TypeLoadException)
        {
            // The arguments break a constraint, or make a struct that is too large: no such type.
            return null;
        }
    }

    private static Type? ReadRank(string name, ref int position, Type element)
    {
        int end = name.IndexOf(']', position);
        if (end < 0 || end - position > 32)
        {
            return null;
        }

        string inside = name[(position + 1)..end];
        position = end + 1;
        try
        {
            return inside.Length == 0 ? element.MakeArrayType()
                : inside == "*" ? element.MakeArrayType(1)
                : inside.Trim(',').Length == 0 ? element.MakeArrayType(inside.Length + 1)
                : null;
        }
        catch (TypeLoadException)
        {
            // No array can have such elements: void, ref structs, structs beyond 64 KB.
            return null;
        }
    }
}
