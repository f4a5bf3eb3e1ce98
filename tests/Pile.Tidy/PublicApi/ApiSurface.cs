using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pile.Tidy.PublicApi;

/// <summary>Everything that a user of an assembly can name, one line each, in an order that does not depend on the compiler.</summary>
internal static class ApiSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    public static IReadOnlyList<string> Lines(Assembly assembly) =>
        [.. assembly.GetTypes().Where(IsVisible).SelectMany(Lines).Order(StringComparer.Ordinal)];

    public static IEnumerable<string> Lines(Type type)
    {
        string name = $"{type.Namespace}.{ApiTypeNames.WriteDeclared(type)}";
        yield return $"{name}: {Head(type)}";
        foreach (MemberInfo member in type.GetMembers(Declared).Where(IsPartOfSurface))
        {
            yield return $"{name}: {ApiMembers.Write(member)}";
        }
    }

    private static bool IsVisible(Type type) =>
        type.IsPublic || ((type.IsNestedPublic || type.IsNestedFamily || type.IsNestedFamORAssem) && IsVisible(type.DeclaringType!));

    private static bool IsPartOfSurface(MemberInfo member) => member switch
    {
        Type => false,
        FieldInfo field => (field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly) && !field.IsSpecialName,
        PropertyInfo property => ApiMembers.IsVisible(property.GetMethod) || ApiMembers.IsVisible(property.SetMethod),
        EventInfo happening => ApiMembers.IsVisible(happening.AddMethod),
        MethodInfo method => ApiMembers.IsVisible(method) && !IsAccessor(method) && !method.Name.Contains('<', StringComparison.Ordinal) && !IsOfDelegate(method.DeclaringType!, method.Name),
        MethodBase method => ApiMembers.IsVisible(method) && !IsOfDelegate(method.DeclaringType!, method.Name),
        _ => false,
    };

    private static bool IsAccessor(MethodInfo method) =>
        method.IsSpecialName && !method.Name.StartsWith("op_", StringComparison.Ordinal);

    private static bool IsOfDelegate(Type type, string name) => type.BaseType == typeof(MulticastDelegate) && name != "Invoke";

    private static string Head(Type type)
    {
        string access = type.IsPublic || type.IsNestedPublic ? "public" : "protected";
        string kind = type switch
        {
            { IsEnum: true } => $"enum : {ApiTypeNames.Write(Enum.GetUnderlyingType(type))}",
            { IsInterface: true } => "interface",
            { BaseType: { } baseType } when baseType == typeof(MulticastDelegate) => "delegate",
            { IsValueType: true } => (type.IsDefined(typeof(IsReadOnlyAttribute)) ? "readonly " : "") + (type.IsByRefLike ? "ref struct" : "struct"),
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => "sealed class",
            _ => "class",
        };
        return $"{access} {kind}{Bases(type)}{ApiConstraints.Write(type.GetGenericArguments())}";
    }

    private static string Bases(Type type)
    {
        if (type.IsEnum || type.BaseType == typeof(MulticastDelegate))
        {
            return "";
        }
        IEnumerable<string> baseType = type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType) ? [ApiTypeNames.Write(parent)] : [];
        IEnumerable<string> interfaces = type.GetInterfaces().Where(IsVisible).Select(contract => ApiTypeNames.Write(contract)).Order(StringComparer.Ordinal);
        string all = string.Join(", ", baseType.Concat(interfaces));
        return all.Length == 0 ? "" : " : " + all;
    }
}
