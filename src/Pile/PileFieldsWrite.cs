// The form of generated code that writes the fields of a type.
// Registered with PileFieldPlan.
using System.ComponentModel;

namespace Pile;

/// <summary>Writes the fields of a value, in order. For generated code.</summary>
/// <typeparam name="T">The type.</typeparam>
/// <param name="writer">Where to.</param>
/// <param name="formatters">Of the fields, by their places.</param>
/// <param name="value">The value.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate void PileFieldsWrite<T>(PileFieldWriter writer, PileFieldFormatters formatters, ref T value);
