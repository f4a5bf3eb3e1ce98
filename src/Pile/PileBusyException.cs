// The exception of PileStatus.Busy, apart from its base so that it can be caught alone.
// Nothing is lost when it is thrown: the memory stays mapped, and Dispose may be called again.
namespace Pile;

/// <summary>Leases or pins are still held.</summary>
public sealed class PileBusyException : PileException
{
    internal PileBusyException(string message, PilePointer? pointer = null)
        : base(PileStatus.Busy, message, pointer)
    {
    }
}
