using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pile.Tidy.PublicApi;

/// <summary>Writes one member as the line that stands for it in the baseline.</summary>
internal static class ApiMembers
{
    private static readonly NullabilityInfoContext _nullability = new();

    public static string Write(MemberInfo member) => member switch
    {
        FieldInfo field => WriteField(field),
        PropertyInfo property => WriteProperty(property),
        EventInfo happening => $"{Access(happening.AddMethod!)} event {ApiTypeNames.Write(happening.EventHandlerType!)} {happening.Name}",
        ConstructorInfo constructor => $"{Access(constructor)} {constructor.DeclaringType!.Name.Split('`')[0]}({Parameters(constructor)})",
        MethodInfo method => WriteMethod(method),
        _ => throw new ArgumentException($"{member.MemberType} {member.Name} is not a member of a surface.", nameof(member)),
    };

    public static bool IsVisible(MethodBase? method) => method is { IsPublic: true } or { IsFamily: true } or { IsFamilyOrAssembly: true };

    private static string WriteField(FieldInfo field)
    {
        string access = field.IsPublic ? "public" : "protected";
        if (field.DeclaringType!.IsEnum)
        {
            return $"{field.Name} = {Convert.ToString(field.GetRawConstantValue(), CultureInfo.InvariantCulture)}";
        }
        string kind = field.IsLiteral ? "const " : (field.IsStatic ? "static " : "") + (field.IsInitOnly ? "readonly " : "");
        string value = field.IsLiteral ? $" = {Literal(field.GetRawConstantValue())}" : "";
        return $"{access} {kind}{ApiTypeNames.Write(field.FieldType, _nullability.Create(field)) + Mark(field.FieldType, field.CustomAttributes, field)} {field.Name}{value}";
    }

    private static string WriteProperty(PropertyInfo property)
    {
        MethodInfo[] accessors = [.. new[] { property.GetMethod, property.SetMethod }.Where(IsVisible).Select(accessor => accessor!)];
        string access = Access(accessors.FirstOrDefault(accessor => accessor.IsPublic) ?? accessors[0]);
        string required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        ParameterInfo[] index = property.GetIndexParameters();
        string name = index.Length == 0 ? property.Name : $"this[{string.Join(", ", index.Select(WriteParameter))}]";
        string type = Ref(property.PropertyType, accessors[0].ReturnParameter) + ApiTypeNames.Write(property.PropertyType, _nullability.Create(property))
            + Mark(property.PropertyType, property.CustomAttributes, property);
        return $"{access} {required}{type} {name} {{ {string.Concat(accessors.Select(accessor => WriteAccessor(accessor, access)))}}}";
    }

    private static string WriteAccessor(MethodInfo accessor, string access)
    {
        bool isInit = accessor.ReturnParameter.GetRequiredCustomModifiers().Any(modifier => modifier.Name == "IsExternalInit");
        string narrower = access.StartsWith("public", StringComparison.Ordinal) && !accessor.IsPublic ? "protected " : "";
        return $"{narrower}{(accessor.ReturnType != typeof(void) ? "get" : isInit ? "init" : "set")}; ";
    }

    private static string WriteMethod(MethodInfo method)
    {
        Type[] generics = method.GetGenericArguments();
        string name = generics.Length == 0 ? method.Name : $"{method.Name}<{string.Join(", ", generics.Select(parameter => parameter.Name))}>";
        string extension = method.IsDefined(typeof(ExtensionAttribute)) ? "this " : "";
        string isReadOnly = method.IsDefined(typeof(IsReadOnlyAttribute)) ? "readonly " : "";
        string type = Ref(method.ReturnType, method.ReturnParameter) + ApiTypeNames.Write(method.ReturnType, _nullability.Create(method.ReturnParameter))
            + Mark(method.ReturnType, method.ReturnParameter.CustomAttributes, method);
        return $"{Access(method)} {isReadOnly}{type} {name}({extension}{Parameters(method)}){ApiConstraints.Write(generics)}";
    }

    private static string Access(MethodBase method)
    {
        string access = method.IsPublic ? "public" : "protected";
        bool isOverride = method is MethodInfo { IsVirtual: true } info && info.GetBaseDefinition().DeclaringType != info.DeclaringType;
        return access + (method.IsStatic ? " static" : "") + (method.IsAbstract ? " abstract" : isOverride ? " override" : method is { IsVirtual: true, IsFinal: false } ? " virtual" : "");
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(WriteParameter));

    private static string WriteParameter(ParameterInfo parameter)
    {
        IEnumerable<string> names = parameter.CustomAttributes.Select(attribute => attribute.AttributeType.Name).Order(StringComparer.Ordinal);
        string conditions = string.Concat(names.Where(name => name is "MaybeNullWhenAttribute" or "NotNullWhenAttribute" or "AllowNullAttribute" or "UnscopedRefAttribute")
            .Select(name => $"[{name.Replace("Attribute", "", StringComparison.Ordinal)}] "));
        string modifier = names.Contains("ScopedRefAttribute") ? "scoped " : names.Contains("ParamCollectionAttribute") || names.Contains("ParamArrayAttribute") ? "params " : "";
        string direction = !parameter.ParameterType.IsByRef ? ""
            : parameter.IsOut ? "out "
            : names.Contains("RequiresLocationAttribute") ? "ref readonly "
            : names.Contains("IsReadOnlyAttribute") ? "in " : "ref ";
        string type = ApiTypeNames.Write(parameter.ParameterType, _nullability.Create(parameter))
            + Mark(parameter.ParameterType, parameter.CustomAttributes, parameter.Member);
        string value = parameter.HasDefaultValue ? $" = {Literal(parameter.RawDefaultValue)}" : "";
        return $"{conditions}{modifier}{direction}{type} {parameter.Name}{value}";
    }

    private static string Mark(Type type, IEnumerable<CustomAttributeData> own, MemberInfo context)
    {
        bool isParameter = (type.IsByRef ? type.GetElementType()! : type).IsGenericParameter;
        return isParameter && ApiNullableFlags.Read(own, context) == ApiNullableFlags.Annotated ? "?" : "";
    }

    private static string Ref(Type type, ParameterInfo returned) =>
        !type.IsByRef ? "" : returned.IsDefined(typeof(IsReadOnlyAttribute)) ? "ref readonly " : "ref ";

    private static string Literal(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
    };
}
