namespace Pile.Tests.Durability.Model;

/// <summary>What a run may do only so many times; the order is that of the counters in a state.</summary>
internal enum Budget
{
    Put,
    Update,
    Delete,
    Batch,
    Flush,
    Clean,
    Clear,
    Close,
    Checkpoint,
    FailedSync,
    Kill,
    Cut,
    Damage,
}
