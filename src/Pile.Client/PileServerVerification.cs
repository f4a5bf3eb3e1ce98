// What a check of all that a server stores has found.
// Findings are sentences for people.
using System.Collections.Generic;

namespace Pile.Client;

/// <summary>A verification.</summary>
/// <param name="IsGood">Whether nothing was found.</param>
/// <param name="Segments">Segments that were checked.</param>
/// <param name="Records">Records that were checked.</param>
/// <param name="Objects">Objects that were checked.</param>
/// <param name="Findings">What is damaged; at most 100.</param>
public sealed record PileServerVerification(bool IsGood, long Segments, long Records, long Objects, IReadOnlyList<string> Findings);
