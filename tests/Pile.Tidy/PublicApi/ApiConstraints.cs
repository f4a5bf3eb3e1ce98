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

    private static bool IsNotNull(Type parameter) =>
        ApiNullableFlags.Read(parameter.CustomAttributes, (MemberInfo?)parameter.DeclaringMethod ?? parameter.DeclaringType) == ApiNullableFlags.NotNull;
}
