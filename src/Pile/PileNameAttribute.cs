// The name that a type, a field or an assembly had when older values were stored, so that they still find their place.
// Needed only after renaming or moving; nothing has to be marked to be stored.
using System;

namespace Pile;

/// <summary>A former name of a type, a field, an auto-property or an assembly. May stand several times.</summary>
/// <param name="name">Of a field or property: its name then, for example <c>Surname</c>. Of a type: its full name then, for
/// example <c>Shop.Customer</c>, or <c>Shop!Shop.Customer</c> where it was in another assembly, here <c>Shop</c>, whose name is a part of the stored
/// name of a type. Of an assembly: its name then, for example <c>[assembly: PileName("Shop")]</c>: all its types are found by that too.</param>
[AttributeUsage(
    AttributeTargets.Assembly | AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum | AttributeTargets.Field | AttributeTargets.Property,
    AllowMultiple = true, Inherited = false)]
public sealed class PileNameAttribute(string name) : Attribute
{
    /// <summary>The former name.</summary>
    public string Name { get; } = name;
}
