// What the generator knows of a type: its source and its diagnostics, as plain values, so that the incremental generator can
// tell that nothing changed.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Pile.Generators;

/// <summary>One type.</summary>
internal sealed class PlanModel(string hintName, string? source, IReadOnlyList<Problem> problems) : IEquatable<PlanModel>
{
    /// <summary>The name of the generated file.</summary>
    internal string HintName { get; } = hintName;

    /// <summary>The source, or null when there is none.</summary>
    internal string? Source { get; } = source;

    /// <summary>What to report.</summary>
    internal IReadOnlyList<Problem> Problems { get; } = problems;

    public bool Equals(PlanModel? other) =>
        other is not null && HintName == other.HintName && Source == other.Source && Problems.SequenceEqual(other.Problems);

    public override bool Equals(object? obj) => Equals(obj as PlanModel);

    public override int GetHashCode() => StringComparer.Ordinal.GetHashCode(HintName);
}
