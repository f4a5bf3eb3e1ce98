// An object that is called when all that it leads to is there: at the end of its graph, or before a collection is filled whose
// keys or comparer lead to it.
namespace Pile.Codecs;

/// <summary>An object to call.</summary>
/// <param name="Plan">Its plan, which calls it.</param>
/// <param name="Value">The object.</param>
/// <param name="Offset">Where it begins in the payload.</param>
/// <param name="IsDone">Whether it was called.</param>
internal readonly record struct Called(Plan Plan, object Value, int Offset, bool IsDone = false);
