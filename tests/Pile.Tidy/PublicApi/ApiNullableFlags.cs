using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Tidy.PublicApi;

/// <summary>
/// Reads what the compiler wrote about a type parameter, <c>notnull</c> or the <c>?</c> of <c>T?</c>, which
/// <see cref="NullabilityInfo"/> does not tell from a plain <c>T</c>.
/// </summary>
internal static class ApiNullableFlags
{
    public const byte NotNull = 1;
    public const byte Annotated = 2;

    /// <summary>Returns the flag in <paramref name="own"/>, or else that of the context: <paramref name="context"/> and the types around it.</summary>
    public static byte? Read(IEnumerable<CustomAttributeData> own, MemberInfo? context)
    {
        byte? flag = Flag(own, "NullableAttribute");
        for (MemberInfo? around = context; flag is null && around is not null; around = around.DeclaringType)
        {
            flag = Flag(around.CustomAttributes, "NullableContextAttribute");
        }
        return flag;
    }

    private static byte? Flag(IEnumerable<CustomAttributeData> attributes, string name) =>
        attributes.FirstOrDefault(attribute => attribute.AttributeType.Name == name)?.ConstructorArguments[0].Value as byte?;
}
