// A version of a type whose objects a pile holds, or held: what its schema says. No CLR type is needed, and none is loaded.
// The types that a program has shown to a pile are PileTypes'.
using System.Collections.Generic;

namespace Pile;

/// <summary>A stored version of a type.</summary>
/// <param name="Number">Its number in the pile.</param>
/// <param name="Name">Its name at that time: <c>Shop!Shop.Order</c>.</param>
/// <param name="IsValue">Whether it was a struct.</param>
/// <param name="Members">Its members, in stored order.</param>
public sealed record PileStoredType(int Number, string Name, bool IsValue, IReadOnlyList<PileStoredMember> Members);
