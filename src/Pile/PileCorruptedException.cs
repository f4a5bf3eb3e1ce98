// The exception of PileStatus.Corrupted, apart from its base so that it can be caught alone.
// It is for damaged bytes in files, not for wrong use; a memory pile reports damage by Verify and does not throw it.
namespace Pile;

/// <summary>Stored bytes break an invariant.</summary>
public sealed class PileCorruptedException : PileException
{
    internal PileCorruptedException(string message, PilePointer? pointer = null, string? path = null)
        : base(PileStatus.Corrupted, message, pointer, path)
    {
    }
}
