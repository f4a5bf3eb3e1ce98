// The exception of every failure that is not a plain argument mistake. A class for each status that is caught
// alone; the others are PileException itself. Argument mistakes are the framework's exceptions, and a disposed pile is
// ObjectDisposedException.
using System;

namespace Pile;

/// <summary>A failed pile operation. <see cref="Status"/> says which; the message names the value, the limit and the way out.</summary>
public class PileException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="status">What went wrong; not <see cref="PileStatus.Ok"/>.</param>
    /// <param name="message">The value, the limit and the way out.</param>
    /// <param name="pointer">The pointer concerned, if one was.</param>
    /// <param name="path">The file or directory concerned, if one was.</param>
    /// <param name="innerException">The cause, if there is one.</param>
    public PileException(PileStatus status, string message, PilePointer? pointer = null, string? path = null, Exception? innerException = null)
        : base(message, innerException)
    {
        Status = status;
        Pointer = pointer;
        Path = path;
    }

    /// <summary>What went wrong.</summary>
    public PileStatus Status { get; }

    /// <summary>The pointer concerned, or null.</summary>
    public PilePointer? Pointer { get; }

    /// <summary>The file or directory concerned, or null.</summary>
    public string? Path { get; }
}
