// What PileLifecycle is to open: read from the options when the host starts, not before.
// It opens nothing itself.
using System;

namespace Pile.Hosting;

/// <summary>A pile to be opened.</summary>
/// <param name="Directory">Its directory, or null for memory.</param>
/// <param name="Pile">Its options.</param>
/// <param name="Begin">Takes the pile once it is open.</param>
internal sealed record HostedPlan(string? Directory, PileOptions Pile, Action<ObjectPile> Begin);
