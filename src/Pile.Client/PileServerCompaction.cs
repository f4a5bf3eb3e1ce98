// What a compaction of a server's pile has come to.
// Bytes are those of the pile: what entries and free memory between them take.
namespace Pile.Client;

/// <summary>A compaction.</summary>
/// <param name="UsedBytesBefore">Bytes in use before.</param>
/// <param name="UsedBytesAfter">Bytes in use after.</param>
/// <param name="MovedBytes">Bytes that were moved.</param>
/// <param name="ReachedRatio">Whether the ratio was reached that was asked for.</param>
public readonly record struct PileServerCompaction(long UsedBytesBefore, long UsedBytesAfter, long MovedBytes, bool ReachedRatio);
