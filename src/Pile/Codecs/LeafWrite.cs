// The writing of a value as one function, for formatters and plans that need no class of their own.
// What it writes is what LeafRead of the same type reads.
namespace Pile.Codecs;

/// <summary>Writes a value.</summary>
internal delegate void LeafWrite<T>(GraphWriter writer, T value);
