// A value as it is stored, without its type.
// A copy: later changes of the entry do not show in it.
namespace Pile.Cache.Files;

/// <summary>A stored value.</summary>
/// <param name="Kind">How it is stored.</param>
/// <param name="TypeName">The stored name of its type; empty where only bytes are known.</param>
/// <param name="Bytes">The stored bytes.</param>
/// <param name="Text">The text where it is one, else null.</param>
/// <param name="Json">The object as JSON where it is one, else null.</param>
internal readonly record struct StoredValue(PileKind Kind, string TypeName, byte[] Bytes, string? Text, string? Json);
