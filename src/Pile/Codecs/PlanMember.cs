// A named place inside a type: a field, or what a collection repeats. Schemas, alias analysis and descriptions read it.
// It is no access path: FieldSet and the collection plans have theirs.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>A member of a plan.</summary>
/// <param name="Declaring">The stable name of the type that declares it, empty for what a collection repeats.</param>
/// <param name="Name">Its name; of an auto-property, the property's.</param>
/// <param name="Formatter">The formatter of its place.</param>
/// <param name="Cases">Of the number of an F# union's case: the names by number; null for all else.</param>
internal sealed record PlanMember(string Declaring, string Name, Formatter Formatter, IReadOnlyList<string>? Cases = null);
