using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Pile.HitRatio.Traces;

/// <summary>The generated traces by name.</summary>
internal static class TraceList
{
    /// <summary>So many keys has a trace at least: every part of each has one then.</summary>
    internal const int KeysMin = LoopKeys.KeysMin;

    private const double MixedInExponent = 1.0;
    private static readonly double[] _exponents = [0.6, 0.8, 1.0, 1.2];

    /// <summary>All names, in the order of the tables.</summary>
    internal static IReadOnlyList<string> Names { get; } = [.. _exponents.Select(NameOf), "scan-zipf", "loop", "mixed-sizes"];

    /// <summary>A trace.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="keys">Of so many keys.</param>
    /// <param name="requests">So long.</param>
    /// <param name="seed">Drawn from this seed.</param>
    internal static ITrace Of(string name, int keys, long requests, ulong seed)
    {
        string even = string.Create(CultureInfo.InvariantCulture, $"values of {ValueSizes.EvenBytes} B");
        return name switch
        {
            "scan-zipf" => new GeneratedTrace(
                name,
                Text($"Zipf {MixedInExponent:0.0} over {keys / 2:#,0} keys, after each {keys / 10:#,0} requests a scan of {keys / 20:#,0} other keys, which come again after ten scans; {even}"),
                requests,
                () => new ScanKeys(keys, MixedInExponent, seed),
                ValueSizes.Even),
            "loop" => new GeneratedTrace(
                name,
                Text($"{LoopKeys.Loops} loops at once, over {keys / 2:#,0} keys, {keys / 4:#,0}, and so on to {keys >> LoopKeys.Loops:#,0}; {even}"),
                requests,
                () => new LoopKeys(keys, seed),
                ValueSizes.Even),
            "mixed-sizes" => new GeneratedTrace(
                name,
                Text($"Zipf {MixedInExponent:0.0} over {keys:#,0} keys; values of {ValueSizes.MixedBytesMin} to {ValueSizes.MixedBytesMax:#,0} B, fixed for each key, Pareto with exponent {ValueSizes.TailExponent:0.0}"),
                requests,
                () => new ZipfKeys(keys, MixedInExponent, seed),
                ValueSizes.Mixed),
            _ when _exponents.Select(NameOf).ToList().IndexOf(name) is var index and >= 0 => new GeneratedTrace(
                name,
                Text($"Zipf {_exponents[index]:0.0} over {keys:#,0} keys; {even}"),
                requests,
                () => new ZipfKeys(keys, _exponents[index], seed),
                ValueSizes.Even),
            _ => throw new ArgumentException($"There is no trace '{name}': {string.Join(", ", Names)}."),
        };
    }

    private static string NameOf(double exponent) => string.Create(CultureInfo.InvariantCulture, $"zipf-{exponent:0.0}");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
