// The exception of PileStatus.TypeMismatch, apart from its base so that it can be caught alone.
// Sizes and lanes are compared, not the names of types: two unmanaged types of one size read as each other.
namespace Pile;

/// <summary>The object is stored in another lane, size or type than the one asked for.</summary>
public sealed class PileTypeMismatchException : PileException
{
    internal PileTypeMismatchException(string message, PilePointer? pointer = null, System.Exception? inner = null)
        : base(PileStatus.TypeMismatch, message, pointer, innerException: inner)
    {
    }
}
