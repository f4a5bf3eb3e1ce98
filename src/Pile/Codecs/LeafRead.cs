// The reading of a value as one function, for formatters and plans that need no class of their own.
// It checks what it reads; nothing is believed.
namespace Pile.Codecs;

/// <summary>Reads a value.</summary>
internal delegate T LeafRead<T>(ref GraphReader reader);
