// How far a verification is.
// Told by a thread that holds nothing of the pile: the newest there is, each after the one before.
namespace Pile;

/// <summary>Progress of <see cref="ObjectPileCare.Verify(ObjectPile)"/>.</summary>
/// <param name="Bytes">Bytes looked at.</param>
/// <param name="TotalBytes">Bytes in all.</param>
public readonly record struct PileVerifyProgress(long Bytes, long TotalBytes);
