// One lease: somebody computes the value of a key, until it ends. Its fields change under the gate of its table's leases.
// Whoever waits for it looks again when it has ended: there is a value then, or the next lease to be had.
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Server.Leases;

/// <summary>A lease.</summary>
/// <param name="key">Its key.</param>
/// <param name="number">Its number, which the client shows again.</param>
/// <param name="lastTag">The last tag that was removed before it began.</param>
internal sealed class KeyLease(byte[] key, ulong number, RemovedTag lastTag)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal byte[] Key { get; } = key;

    internal ulong Number { get; } = number;

    internal RemovedTag LastTag { get; } = lastTag;

    /// <summary>Ends it by time.</summary>
    internal ITimer? Timer { get; set; }

    /// <summary>Whether somebody else is changing the key: its value is stored no more.</summary>
    internal bool IsOutdated { get; set; }

    /// <summary>Is done when it has ended.</summary>
    internal Task Ended => _ended.Task;

    /// <summary>Bytes that it counts for.</summary>
    internal long Bytes => ServerLimits.LeaseBytes + Key.Length;

    internal void End()
    {
        Timer?.Dispose();
        _ = _ended.TrySetResult();
    }
}
