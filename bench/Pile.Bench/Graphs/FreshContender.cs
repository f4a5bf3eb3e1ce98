using System;

namespace Pile.Bench.Graphs;

/// <summary>A loop under a name of its series, and what makes fresh objects for it, which is not timed.</summary>
/// <param name="Series">The series.</param>
/// <param name="Operations">Operations of one call.</param>
/// <param name="Refresh">Makes what the loop will take.</param>
/// <param name="Loop">The loop; anything computed from what it did.</param>
internal sealed record FreshContender(string Series, int Operations, Action Refresh, Func<long> Loop);
