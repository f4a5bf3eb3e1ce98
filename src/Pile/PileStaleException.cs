// The exception of PileStatus.Stale, apart from its base so that it can be caught alone.
namespace Pile;

/// <summary>The pointer's object was deleted, or the pointer was never issued by this pile.</summary>
public sealed class PileStaleException : PileException
{
    internal PileStaleException(string message, PilePointer? pointer = null)
        : base(PileStatus.Stale, message, pointer)
    {
    }
}
