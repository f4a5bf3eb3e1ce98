// The exception of PileStatus.Locked, apart from its base so that it can be caught alone.
// The lock ends with the process that holds it, however that ends: there is nothing to clean up by hand.
namespace Pile;

/// <summary>Another process, or another pile of this process, has the directory open.</summary>
public sealed class PileLockedException : PileException
{
    internal PileLockedException(string message, string path, int ownerProcessId)
        : base(PileStatus.Locked, message, path: path) => OwnerProcessId = ownerProcessId;

    /// <summary>Id of the process that has it open, as that process sees it; this process's own id when it is another pile here, be it one that was
    /// only forgotten, and not disposed; 0 when the owner can't be named, as when processes that only read have it open.</summary>
    public int OwnerProcessId { get; }
}
