// What a copy of a pile holds.
// The moment is the one at which the copy began: all that was done before it is there, nothing that was done after.
namespace Pile;

/// <summary>Outcome of <see cref="ObjectPileDurability.CopyTo"/>.</summary>
/// <param name="Bytes">Bytes copied, large objects included.</param>
/// <param name="Segments">Segments copied.</param>
/// <param name="LargeObjects">Large objects copied, those that were replaced and not reclaimed yet included.</param>
public sealed record PileCopyReport(long Bytes, int Segments, long LargeObjects);
