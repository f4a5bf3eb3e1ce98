// The exception of PileStatus.Full, apart from its base so that it can be caught alone.
// It says that nothing could be freed now, not that nothing ever can: readers may hold memory back.
using System;

namespace Pile;

/// <summary>The memory limit, or the device that holds the files, leaves no room; nothing was changed.</summary>
public sealed class PileFullException : PileException
{
    internal PileFullException(string message, PilePointer? pointer = null, string? path = null, Exception? cause = null)
        : base(PileStatus.Full, message, pointer, path, cause)
    {
    }
}
