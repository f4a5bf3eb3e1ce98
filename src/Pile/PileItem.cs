// One object as an enumeration shows it: enough to decide whether to lease it.
// It is no lease: the object may change or go before it is read by its pointer.
namespace Pile;

/// <summary>An object met by <see cref="ObjectPileCare.Enumerate"/>.</summary>
/// <param name="Pointer">The pointer to it; it may be stale by the time it is used.</param>
/// <param name="Kind">How it is stored.</param>
/// <param name="PayloadBytes">Bytes stored.</param>
public readonly record struct PileItem(PilePointer Pointer, PileKind Kind, int PayloadBytes);
