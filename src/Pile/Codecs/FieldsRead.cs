// The reading of a type's fields as one function: compiled at run time (FieldEmitter), or made by a source generator.
// It reads exactly one value per member of the type's plan, in their order; header and tag were read before.
namespace Pile.Codecs;

/// <summary>Reads all fields of a value.</summary>
internal delegate void FieldsRead<T>(ref GraphReader reader, ref T value);
