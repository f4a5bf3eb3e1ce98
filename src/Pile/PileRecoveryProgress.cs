// How far a recovery has come; only a crawl takes long enough to report any.
// What it found is in the PileRecoveryReport at its end.
namespace Pile;

/// <summary>Progress of an open.</summary>
/// <param name="Bytes">Bytes of segments walked so far.</param>
/// <param name="TotalBytes">Bytes of segments in all.</param>
public readonly record struct PileRecoveryProgress(long Bytes, long TotalBytes);
