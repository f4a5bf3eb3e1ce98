// The form of generated code that reads the fields of a type.
// Registered with PileFieldPlan.
using System.ComponentModel;

namespace Pile;

/// <summary>Reads the fields of a value, in order. For generated code.</summary>
/// <typeparam name="T">The type.</typeparam>
/// <param name="reader">Where from.</param>
/// <param name="formatters">Of the fields, by their places.</param>
/// <param name="value">The value.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate void PileFieldsRead<T>(ref PileFieldReader reader, PileFieldFormatters formatters, ref T value);
