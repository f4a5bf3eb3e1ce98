// A value together with the version that it has.
// CompareAndSetAsync and CompareAndRemoveAsync take the version.
namespace Pile.Client;

/// <summary>A value and its version.</summary>
/// <param name="Value">The value; null where there is no entry.</param>
/// <param name="Version">Its version; the default where there is no entry.</param>
public readonly record struct PileVersionedValue(byte[]? Value, PileClientVersion Version);
