// The name that a type or field had when older values were stored, so that they still find their place.
// Needed only after renaming; nothing has to be marked to be stored.
using System;

namespace Pile;

/// <summary>A former name of a type, a field or an auto-property. May stand several times.</summary>
/// <param name="name">Of a field or property: its name then, for example <c>Surname</c>. Of a type: its full name then, for
/// example <c>Shop.Customer</c>; the assembly is not part of it.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum | AttributeTargets.Field | AttributeTargets.Property, AllowMultiple = true, Inherited = false)]
public sealed class PileNameAttribute(string name) : Attribute
{
    /// <summary>The former name.</summary>
    public string Name { get; } = name;
}
