// The exception of PileStatus.Stale, apart from its base so that it can be caught alone.
// It can't tell a deleted object from one that never was, because the slot remembers only its last generation.
namespace Pile;

/// <summary>The pointer's object was deleted, or the pointer was never issued by this pile.</summary>
public sealed class PileStaleException : PileException
{
    internal PileStaleException(string message, PilePointer? pointer = null)
        : base(PileStatus.Stale, message, pointer)
    {
    }
}
