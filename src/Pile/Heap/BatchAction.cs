// What a batch does with one of its objects. Several changes of one object are one action by the time the batch is committed.
// It says nothing about the payload: BatchMember does.
namespace Pile.Heap;

/// <summary>What a batch does with an object.</summary>
internal enum BatchAction
{
    /// <summary>Nothing any more: put and deleted in the same batch.</summary>
    None,

    /// <summary>Stores a new object under a slot that the batch holds.</summary>
    Put,

    /// <summary>Replaces an object.</summary>
    Update,

    /// <summary>Deletes an object.</summary>
    Delete,
}
