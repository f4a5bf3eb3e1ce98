// The exception of PileStatus.Full, apart from its base so that it can be caught alone.
namespace Pile;

/// <summary>The memory limit leaves no room; nothing was changed.</summary>
public sealed class PileFullException : PileException
{
    internal PileFullException(string message, PilePointer? pointer = null)
        : base(PileStatus.Full, message, pointer)
    {
    }
}
