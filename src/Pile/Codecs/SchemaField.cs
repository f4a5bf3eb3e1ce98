// A field as a schema describes it: everything needed to read it without the CLR type.
// It is what SchemaSkipper, the mapped plans and descriptions go by.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>One place inside a stored type.</summary>
/// <param name="Declaring">Name of the type that declared it; empty for what a collection repeats.</param>
/// <param name="Name">Its name.</param>
/// <param name="Kind">What may stand there.</param>
/// <param name="Nested">Number of the type that stands there without tag, 0 for none.</param>
/// <param name="Cases">Of the number of an F# union's case: the names by number (<see cref="UnionCases.Of"/>); null for all else.</param>
internal sealed record SchemaField(string Declaring, string Name, WireKind Kind, int Nested, IReadOnlyList<string>? Cases = null);
