// The reading half of a contract's single value.
// A delegate of its own, because a reader is passed by reference.
namespace Pile.Codecs;

/// <summary>Reads a value.</summary>
internal delegate T ContractRead<T>(ref ContractReader reader);
