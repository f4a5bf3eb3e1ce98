// The locks that one thread may hold together, in the order in which it must take them.
// Locks under which no other of these is taken (pool, slots, large objects, epochs) have no rank. LockOrder checks it.
namespace Pile.Primitives;

/// <summary>Rank of a lock: a thread takes a lower one first.</summary>
internal enum LockRank
{
    /// <summary>A step of the background thread, or Verify between two of them.</summary>
    KeeperStep,

    /// <summary>The stripe of a slot, or several of a batch.</summary>
    Stripe,

    /// <summary>A writer, or all of them.</summary>
    Writer,

    /// <summary>The cleaner role.</summary>
    CleanerRole,
}
