// How far a Compact is.
// Told after each pass by the thread that called it. Others may store meanwhile, so that it may end before all of it, or never come to it.
namespace Pile;

/// <summary>Progress of <see cref="ObjectPileCare.Compact(ObjectPile, double, System.Threading.CancellationToken)"/>.</summary>
/// <param name="Bytes">Bytes of segments that were given back.</param>
/// <param name="TotalBytes">Bytes of segments above the ratio when it began.</param>
public readonly record struct PileCompactProgress(long Bytes, long TotalBytes);
