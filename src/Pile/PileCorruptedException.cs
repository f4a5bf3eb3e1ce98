// The exception of PileStatus.Corrupted, apart from its base so that it can be caught alone.
namespace Pile;

/// <summary>Stored bytes break an invariant.</summary>
public sealed class PileCorruptedException : PileException
{
    internal PileCorruptedException(string message, PilePointer? pointer = null)
        : base(PileStatus.Corrupted, message, pointer)
    {
    }
}
