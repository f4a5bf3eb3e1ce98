using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Tidy.PublicApi;

/// <summary>Writes the <c>where</c> clauses of a generic type or method.</summary>
internal static class ApiConstraints
{
    public static string Write(IEnumerable<Type> parameters) =>
        string.Concat(parameters.Select(parameter => (parameter, Clauses: string.Join(", ", Clauses(parameter))))
            .Where(entry => entry.Clauses.Length > 0)
            .Select(entry => $" where {entry.parameter.Name} : {entry.Clauses}"));

    private static IEnumerable<string> Clauses(Type parameter)
    {
        GenericParameterAttributes attributes = parameter.GenericParameterAttributes;
        bool isUnmanaged = HasAttribute(parameter, "IsUnmanagedAttribute");
        bool isStruct = attributes.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
        if (isUnmanaged || isStruct)
        {
            yield return isUnmanaged ? "unmanaged" : "struct";
        }
        else if (attributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
        {
            yield return "class";
        }
        else if (IsNotNull(parameter))
        {
            yield return "notnull";
        }
        foreach (Type constraint in parameter.GetGenericParameterConstraints().Where(constraint => constraint != typeof(ValueType)).OrderBy(type => type.Name, StringComparer.Ordinal))
        {
            yield return ApiTypeNames.Write(constraint);
        }
        if (attributes.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint) && !isStruct)
        {
            yield return "new()";
        }
        if (attributes.HasFlag(GenericParameterAttributes.AllowByRefLike))
        {
            yield return "allows ref struct";
        }
    }

    private static bool HasAttribute(Type parameter, string name) =>
        parameter.CustomAttributes.Any(attribute => attribute.AttributeType.Name == name);

    // `notnull` is a byte of 1 in NullableAttribute on the parameter, or in the context around it.
    private static bool IsNotNull(Type parameter)
    {
        byte? own = Flag(parameter.CustomAttributes, "NullableAttribute");
        byte? context = parameter.DeclaringMethod is null ? null : Flag(parameter.DeclaringMethod.CustomAttributes, "NullableContextAttribute");
        for (Type? type = parameter.DeclaringType; context is null && type is not null; type = type.DeclaringType)
        {
            context = Flag(type.CustomAttributes, "NullableContextAttribute");
        }
        return (own ?? context) == 1;
    }

    private static byte? Flag(IEnumerable<CustomAttributeData> attributes, string name) =>
        attributes.FirstOrDefault(attribute => attribute.AttributeType.Name == name)?.ConstructorArguments[0].Value as byte?;
}
