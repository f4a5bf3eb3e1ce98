// How far a verification is.
// Told after each segment by one of the threads that verify, one at a time.
namespace Pile;

/// <summary>Progress of <see cref="ObjectPileCare.Verify(ObjectPile)"/>.</summary>
/// <param name="Bytes">Bytes looked at.</param>
/// <param name="TotalBytes">Bytes in all.</param>
public readonly record struct PileVerifyProgress(long Bytes, long TotalBytes);
