using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Traces;

namespace Pile.HitRatio.Running;

/// <summary>What a run was asked to do.</summary>
internal sealed record HitRatioSettings
{
    internal const int KeysDefault = 1_000_000;
    internal const int KeysMax = 1_000_000_000;
    internal const long RequestsDefault = 10_000_000;
    internal const long RequestsMax = 100_000_000_000;
    internal const int SeedDefault = 9;
    internal const int ChargeBytesMax = 65_536;

    private static readonly double[] _sizes = [0.01, 0.1];

    private const int QuickKeys = 20_000;
    private const long QuickRequests = 200_000;

    /// <summary>Generated traces.</summary>
    public IReadOnlyList<string> Traces { get; init; } = TraceList.Names;

    /// <summary>Paths of trace files.</summary>
    public IReadOnlyList<string> TraceFiles { get; init; } = [];

    /// <summary>Sizes of the cache, as parts of a trace's distinct bytes.</summary>
    public IReadOnlyList<double> Sizes { get; init; } = _sizes;

    /// <summary>Names of those who take part.</summary>
    public IReadOnlyList<string> Contestants { get; init; } = [.. Entries.All.Select(static entry => entry.Name)];

    /// <summary>Keys of a generated trace.</summary>
    public int Keys { get; init; } = KeysDefault;

    /// <summary>Requests of a generated trace.</summary>
    public long Requests { get; init; } = RequestsDefault;

    /// <summary>What generated traces are drawn from.</summary>
    public int Seed { get; init; } = SeedDefault;

    /// <summary>Bytes that each object is counted with beyond key and value; null for what the contestants say.</summary>
    public int? ChargeBytes { get; init; }

    /// <summary>Whether the result is printed as JSON and nothing else.</summary>
    public bool Json { get; init; }

    /// <summary>The folder for the result, or null for the machine's place under bench/results.</summary>
    public string? Out { get; init; }

    /// <summary>A smoke of all of it: few keys, few requests; written only where --out says.</summary>
    public bool Quick { get; init; }

    /// <summary>The command as it was given.</summary>
    public string Command { get; init; } = "";

    /// <summary>Whether all of it runs as long as the committed result: only this replaces it.</summary>
    internal bool IsWhole => !Quick && TraceFiles.Count == 0 && ChargeBytes is null && Keys == KeysDefault && Requests == RequestsDefault && Seed == SeedDefault
        && Traces.SequenceEqual(TraceList.Names) && Sizes.SequenceEqual(_sizes) && Contestants.Count == Entries.All.Count;

    /// <summary>The charge that counts: the given one, or the largest that a contestant states, so that no one pays for what another does
    /// not.</summary>
    internal int ChargeBytesUsed => ChargeBytes ?? Contestants.Max(static name => Entries.Of(name).ChargeBytes);

    /// <summary>As a smoke: small, where the run does not say how large.</summary>
    internal HitRatioSettings AsQuick(bool keysGiven, bool requestsGiven) => this with
    {
        Quick = true,
        Keys = keysGiven ? Keys : QuickKeys,
        Requests = requestsGiven ? Requests : QuickRequests,

        // So few keys are less than a real cache can be made for.
        Contestants = Contestants.Count == Entries.All.Count ? [.. Entries.All.Where(static entry => entry.CacheBytesMin == 0).Select(static entry => entry.Name)] : Contestants,
    };

    /// <summary>Reads names with commas between.</summary>
    /// <exception cref="ArgumentException">One is not known, or there twice; the message says what there is.</exception>
    internal static IReadOnlyList<string> NamesOf(string option, string text, IReadOnlyList<string> known)
    {
        string[] names = Split(text);
        return names.FirstOrDefault(name => !known.Contains(name)) is { } unknown
            ? throw new ArgumentException($"{option}: there is no '{unknown}'. There is: {string.Join(", ", known)}.")
            : Checked(option, names);
    }

    /// <summary>Reads sizes with commas between.</summary>
    /// <exception cref="ArgumentException">One is no part, or there twice.</exception>
    internal static IReadOnlyList<double> SizesOf(string option, string text) =>
        [.. Checked(option, Split(text)).Select(part =>
            double.TryParse(part, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double size) && size is > 0 and <= 1
                ? size
                : throw new ArgumentException($"{option} wants parts above 0 and up to 1, as in 0.01,0.1, not '{part}'."))];

    private static string[] Split(string text) => text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    private static string[] Checked(string option, string[] parts) =>
        parts.Length == 0 ? throw new ArgumentException($"{option} wants at least one.")
        : parts.GroupBy(static part => part).FirstOrDefault(static group => group.Count() > 1) is { } twice ? throw new ArgumentException($"{option} names {twice.Key} twice.")
        : parts;
}
