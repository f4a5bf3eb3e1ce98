// What a copy of a server's pile has taken along.
// It is on the server's machine.
namespace Pile.Client;

/// <summary>A copy.</summary>
/// <param name="Bytes">Bytes of segments that were copied.</param>
/// <param name="Segments">Segments.</param>
/// <param name="LargeObjects">Objects with segments of their own.</param>
public readonly record struct PileServerCopy(long Bytes, long Segments, long LargeObjects);
