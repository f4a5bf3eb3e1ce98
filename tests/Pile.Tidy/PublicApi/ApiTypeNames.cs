using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Tidy.PublicApi;

/// <summary>Writes a type as C# does, with its nullability where the metadata has it.</summary>
internal static class ApiTypeNames
{
    private static readonly Dictionary<Type, string> _keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(sbyte)] = "sbyte",
        [typeof(short)] = "short",
        [typeof(ushort)] = "ushort",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(nint)] = "nint",
        [typeof(nuint)] = "nuint",
        [typeof(float)] = "float",
        [typeof(double)] = "double",
        [typeof(decimal)] = "decimal",
        [typeof(char)] = "char",
        [typeof(string)] = "string",
        [typeof(object)] = "object",
    };

    /// <summary>Returns the name of <paramref name="type"/>; a reference that may be null ends in a question mark.</summary>
    public static string Write(Type type, NullabilityInfo? nullability = null)
    {
        if (type.IsByRef)
        {
            return Write(type.GetElementType()!, nullability);
        }
        string mark = nullability is { ReadState: NullabilityState.Nullable } && !type.IsValueType && !type.IsPointer && !type.IsGenericParameter ? "?" : "";
        return WriteBare(type, nullability) + mark;
    }

    /// <summary>Returns the name of a declared type without its namespace: <c>Outer.Inner&lt;T&gt;</c>.</summary>
    public static string WriteDeclared(Type type) => WriteNamed(type, type.GetGenericArguments(), null);

    private static string WriteBare(Type type, NullabilityInfo? nullability)
    {
        if (type.IsArray)
        {
            return $"{Write(type.GetElementType()!, nullability?.ElementType)}[{new string(',', type.GetArrayRank() - 1)}]";
        }
        if (type.IsPointer)
        {
            return Write(type.GetElementType()!) + "*";
        }
        if (type.IsFunctionPointer)
        {
            return $"delegate*<{string.Join(", ", type.GetFunctionPointerParameterTypes().Append(type.GetFunctionPointerReturnType()).Select(part => Write(part)))}>";
        }
        if (type.IsGenericParameter)
        {
            return type.Name;
        }
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Write(underlying) + "?";
        }
        return _keywords.TryGetValue(type, out string? keyword) ? keyword : WriteNamed(type, type.GetGenericArguments(), nullability);
    }

    // A nested type repeats the arguments of the types around it: each level takes its own from the front.
    private static string WriteNamed(Type type, Type[] arguments, NullabilityInfo? nullability)
    {
        int outer = type.DeclaringType?.GetGenericArguments().Length ?? 0;
        string prefix = type.DeclaringType is null ? "" : WriteNamed(type.DeclaringType, arguments[..outer], null) + ".";
        string name = type.Name.Split('`')[0];
        NullabilityInfo[] inner = nullability?.GenericTypeArguments ?? [];
        IEnumerable<string> own = arguments.Skip(outer).Select((argument, index) => Write(argument, inner.ElementAtOrDefault(outer + index)));
        return arguments.Length == outer ? prefix + name : $"{prefix}{name}<{string.Join(", ", own)}>";
    }
}
