// An item of a block of slots, checked, before it is placed.
// Its payload stands in the block's body, which the reader keeps until the next block.
using Pile.Format;

namespace Pile.Heap;

/// <summary>One slot of an export.</summary>
/// <param name="Slot">The slot.</param>
/// <param name="Generation">Of the object, or of the one that was deleted.</param>
/// <param name="Code">The object's lane; Tombstone for a slot without object.</param>
/// <param name="Offset">Where the payload begins in the body.</param>
/// <param name="Bytes">How long it is.</param>
internal readonly record struct ImportItem(uint Slot, uint Generation, RecordCode Code, int Offset, int Bytes);
