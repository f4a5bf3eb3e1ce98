// How far an export or an import is.
// Told by the thread that does it, at the end of each block, which is every few hundred kilobytes.
namespace Pile;

/// <summary>Progress of <see cref="ObjectPileExport"/> and <see cref="PileImport"/>.</summary>
/// <param name="Objects">Objects written or read.</param>
/// <param name="TotalObjects">Objects that there are.</param>
/// <param name="Bytes">Bytes of the stream written or read.</param>
public readonly record struct PileTransferProgress(long Objects, long TotalObjects, long Bytes);
