// The writing of a type's fields as one function: compiled at run time (FieldEmitter), or made by a source generator.
// It writes exactly one value per member of the type's plan, in their order, and neither header nor tag.
namespace Pile.Codecs;

/// <summary>Writes all fields of a value.</summary>
internal delegate void FieldsWrite<T>(GraphWriter writer, ref T value);
