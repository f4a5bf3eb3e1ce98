using System;
using System.CommandLine;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.HitRatio.Running;
using Pile.HitRatio.Traces;

namespace Pile.HitRatio;

/// <summary>The command line: options, what is wrong with them, and how a failure ends the program.</summary>
internal static class CommandLine
{
    /// <summary>The exit code besides 0 and the 1 of arguments that can't be read.</summary>
    internal const int Failed = 2;

    /// <summary>The command with its options.</summary>
    /// <param name="run">Does the work.</param>
    internal static RootCommand Build(Func<HitRatioSettings, int> run)
    {
        var defaults = new HitRatioSettings();
        var traces = new Option<string?>("--traces") { Description = $"generated traces: {string.Join(",", TraceList.Names)}; all unless fewer are wanted, none when only --trace is given", HelpName = "name,..." };
        var files = new Option<string[]>("--trace") { Description = "a trace file: lines of time,key,size, a header or none; may be given again", HelpName = "FILE" };
        var sizes = new Option<string?>("--sizes") { Description = "sizes of the cache as parts of a trace's distinct bytes; 0.01,0.1 unless set", HelpName = "part,..." };
        var contestants = new Option<string?>("--contestants") { Description = $"who takes part: {string.Join(",", defaults.Contestants)}", HelpName = "name,..." };
        Option<long> requests = Number("--requests", "requests of a generated trace", HitRatioSettings.RequestsDefault, 1, HitRatioSettings.RequestsMax);
        Option<int> keys = Number("--keys", "keys of a generated trace", HitRatioSettings.KeysDefault, TraceList.KeysMin, HitRatioSettings.KeysMax);
        Option<int> seed = Number("--seed", "what generated traces are drawn from", HitRatioSettings.SeedDefault, 0, int.MaxValue);
        Option<int> charge = Number("--charge", "bytes that each object counts beyond key and value; what the contestants say unless set", -1, 0, HitRatioSettings.ChargeBytesMax);
        var json = new Option<bool>("--json") { Description = "print the result as JSON and nothing else" };
        var folder = new Option<string?>("--out") { Description = "the folder for the result; the machine's under bench/results unless set", HelpName = "DIR" };
        var quick = new Option<bool>("--quick") { Description = "a smoke of all of it, under a minute; written only where --out says" };
        var root = new RootCommand("Miss ratios of cache algorithms over generated traces and trace files.")
        {
            traces, files, sizes, contestants, requests, keys, seed, charge, json, folder, quick,
        };
        root.SetAction(parsed => Guard(() =>
        {
            string[] paths = parsed.GetValue(files) ?? [];
            var settings = new HitRatioSettings
            {
                Traces = parsed.GetValue(traces) is { } names ? HitRatioSettings.NamesOf(traces.Name, names, TraceList.Names) : paths.Length > 0 ? [] : defaults.Traces,
                TraceFiles = paths,
                Sizes = parsed.GetValue(sizes) is { } parts ? HitRatioSettings.SizesOf(sizes.Name, parts) : defaults.Sizes,
                Contestants = parsed.GetValue(contestants) is { } wanted ? HitRatioSettings.NamesOf(contestants.Name, wanted, defaults.Contestants) : defaults.Contestants,
                Requests = parsed.GetValue(requests),
                Keys = parsed.GetValue(keys),
                Seed = parsed.GetValue(seed),
                ChargeBytes = IsGiven(parsed, charge) ? parsed.GetValue(charge) : null,
                Json = parsed.GetValue(json),
                Out = parsed.GetValue(folder),
                Command = string.Join(' ', ["dotnet run -c Release --project bench/Pile.HitRatio", .. parsed.Tokens.Count > 0 ? ["--"] : Array.Empty<string>(), .. parsed.Tokens.Select(static token => token.Value)]),
            };
            return run(parsed.GetValue(quick) ? settings.AsQuick(IsGiven(parsed, keys), IsGiven(parsed, requests)) : settings);
        }));
        return root;
    }

    private static bool IsGiven(ParseResult parsed, Option option) => parsed.GetResult(option) is { Implicit: false };

    /// <summary>Runs something and turns what a user can do something about into one line and an exit code.</summary>
    private static int Guard(Func<int> work)
    {
        try
        {
            return work();
        }
        catch (Exception exception) when (exception is IOException or InvalidDataException or UnauthorizedAccessException or ArgumentException)
        {
            Console.Error.WriteLine(exception.Message);
            return Failed;
        }
    }

    private static Option<T> Number<T>(string name, string description, T value, T min, T max)
        where T : struct, IComparable<T>, IFormattable, IParsable<T>
    {
        var option = new Option<T>(name) { Description = description, HelpName = "N", DefaultValueFactory = _ => value };
        option.Validators.Add(result =>
        {
            if (result.Tokens.Count == 1 && T.TryParse(result.Tokens[0].Value, CultureInfo.InvariantCulture, out T given) && (given.CompareTo(min) < 0 || given.CompareTo(max) > 0))
            {
                result.AddError(string.Create(CultureInfo.InvariantCulture, $"{name} must lie between {min:#,0} and {max:#,0}, not {given:#,0}."));
            }
        });
        return option;
    }
}
