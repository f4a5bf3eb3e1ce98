// How far a copy of a pile is.
// Told now and then by the thread that copies.
namespace Pile;

/// <summary>Progress of <see cref="ObjectPileDurability.CopyTo"/>.</summary>
/// <param name="Bytes">Bytes copied.</param>
/// <param name="TotalBytes">Bytes to copy, large objects not included: those are found on the way.</param>
public readonly record struct PileCopyProgress(long Bytes, long TotalBytes);
