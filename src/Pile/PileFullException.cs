// The exception of PileStatus.Full, apart from its base so that it can be caught alone.
// It says that nothing could be freed now, not that nothing ever can: readers may hold memory back.
namespace Pile;

/// <summary>The memory limit leaves no room; nothing was changed.</summary>
public sealed class PileFullException : PileException
{
    internal PileFullException(string message, PilePointer? pointer = null)
        : base(PileStatus.Full, message, pointer)
    {
    }
}
