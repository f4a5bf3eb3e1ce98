// How far a copy of a pile is.
// Told now and then by the thread that copies.
namespace Pile;

/// <summary>Progress of <see cref="ObjectPileDurability.CopyTo"/>.</summary>
/// <param name="Bytes">Bytes copied.</param>
/// <param name="TotalBytes">Bytes to copy, as far as they are known: large objects are those of now, and pages of some that were deleted may come on top. Never less than <paramref name="Bytes"/>.</param>
public readonly record struct PileCopyProgress(long Bytes, long TotalBytes);
