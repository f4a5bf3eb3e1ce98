using System;
using System.Collections.Generic;

namespace Pile.Bench.Running;

/// <summary>A line of the table: two figures of each round and what their ratio has to be.</summary>
/// <param name="Name">What is compared.</param>
/// <param name="Definition">What exactly was run on both sides.</param>
/// <param name="Ours">Our figure of a round.</param>
/// <param name="Theirs">The figure to compare with, of the same round.</param>
internal sealed record Row(
    string Name,
    string Definition,
    Func<IReadOnlyDictionary<string, double>, double> Ours,
    Func<IReadOnlyDictionary<string, double>, double> Theirs)
{
    /// <summary>How the two figures make a ratio.</summary>
    public Ratio Ratio { get; init; } = Ratio.OursOverTheirs;

    /// <summary>Whether the ratio should be at most (else at least) the bars.</summary>
    public bool AtMost { get; init; } = true;

    /// <summary>The bar that must be met, if there is one.</summary>
    public double? Must { get; init; }

    /// <summary>The bar to reach for, if there is one.</summary>
    public double? Reach { get; init; }

    /// <summary>Unit of both figures.</summary>
    public string Unit { get; init; } = "ns";

    /// <summary>Whether a ratio is on the right side of a bar, if there is one.</summary>
    public bool Meets(double? bar, double ratio) => bar is { } value && (AtMost ? ratio <= value : ratio >= value);

    /// <summary>A row of two series that is ours over theirs, to be at most the bars.</summary>
    public static Row Slower(string name, string ours, string theirs, double? must, double? reach, string definition) =>
        new(name, definition, samples => samples[ours], samples => samples[theirs]) { Must = must, Reach = reach };

    /// <summary>A row of two series that is theirs over ours, to be at least the bars.</summary>
    public static Row Faster(string name, string ours, string theirs, double? must, double? reach, string definition) =>
        new(name, definition, samples => samples[ours], samples => samples[theirs])
        {
            Must = must,
            Reach = reach,
            AtMost = false,
            Ratio = Ratio.TheirsOverOurs,
        };
}
