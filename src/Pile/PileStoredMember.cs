// A place of a stored type, by the names of the time at which it was stored.
// Of collections the elements are such a place too, without a name.
namespace Pile;

/// <summary>A member of a stored type.</summary>
/// <param name="Name">Its name; empty for what a collection repeats.</param>
/// <param name="DeclaringType">The stored name of the type that declares it; empty for what a collection repeats.</param>
/// <param name="TypeName">The stored name of what may stand there; <c>System.Object</c> where each object says its own; empty where that type's schema is lost.</param>
/// <param name="IsNullable">Whether it is a value that may be missing.</param>
public sealed record PileStoredMember(string Name, string DeclaringType, string TypeName, bool IsNullable);
