// The exception of PileStatus.UnknownType: a stored object's type was never shown to the pile by the program, or is no more.
// A name in bytes never loads a type; the program adds it, or reads the bytes without it.
using Pile.Codecs;

namespace Pile;

/// <summary>An object's type is not among those that the pile may create. <see cref="TypeName"/> says which.</summary>
/// <remarks>The stored bytes stay reachable: lease them, or see <c>Describe</c> and <c>ToJson</c>, which need no type.</remarks>
public sealed class PileUnknownTypeException : PileException
{
    internal PileUnknownTypeException(string message, string typeName)
        : base(PileStatus.UnknownType, message) => TypeName = typeName;

    /// <summary>The stored name of the type.</summary>
    public string TypeName { get; }

    /// <summary>The types in which it was not found, where it was looked for to read; those of another pile may have it.</summary>
    internal KnownTypes? Asked { get; init; }
}
