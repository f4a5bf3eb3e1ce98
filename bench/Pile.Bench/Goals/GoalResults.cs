using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Pile.Bench.Goals;

/// <summary>The rows that the results in folders make: those of Pile.Bench and Pile.Compare that have a bar, those of Pile.Soak by
/// SoakBars, and tests that are goals. What was not measured is not there.</summary>
internal static partial class GoalResults
{
    private static readonly string[] _toolWorkloads = ["verify", "copy", "info", "stop", "export"];

    /// <summary>The rows.</summary>
    /// <param name="folders">The folders, each a machine's; where several have a row, the last one's stands.</param>
    internal static List<GoalRow> Read(params IReadOnlyList<string> folders)
    {
        List<GoalRow> rows = [];
        foreach (string folder in folders)
        {
            string cores = Cores().Match(folder).Groups["cores"].Value;
            Put(rows, Folder(folder).Select(row => row with { Cores = cores }));
        }

        return rows;
    }

    private static List<GoalRow> Folder(string folder)
    {
        List<GoalRow> rows = [];
        foreach (string face in (string[])["table", "codec", "mapped", "cache", "server"])
        {
            Put(rows, Documents(folder, face).SelectMany(document => OfBench(face, document)));
        }

        // Here what the run of all said stands, as in README: in the contest of a part others take part, in other settings.
        rows.AddRange(Documents(folder, "compare").SelectMany(OfCompare).DistinctBy(static row => row.Figure));
        rows.AddRange(SoakBars.Read(scenario => Lines(folder, $"soak-{scenario}.jsonl")));
        rows.AddRange(Lines(folder, "json.jsonl").Select(OfJson));
        rows.AddRange(Lines(folder, "tests.jsonl").Select(OfTest));
        return rows;
    }

    /// <summary>Adds rows. A run of some workloads alone, with more rounds or objects, stands for what the run of all said of them.</summary>
    private static void Put(List<GoalRow> rows, IEnumerable<GoalRow> found)
    {
        foreach (GoalRow row in found)
        {
            int known = rows.FindIndex(other => (other.Figure, other.Command) == (row.Figure, row.Command));
            if (known >= 0)
            {
                rows[known] = row;
            }
            else
            {
                rows.Add(row);
            }
        }
    }

    [GeneratedRegex("-(?<cores>[0-9]+)-cores/?$")]
    private static partial Regex Cores();

    /// <summary>From which files, on which machine, by which commands.</summary>
    internal static IEnumerable<string> Sources(IReadOnlyList<string> folders)
    {
        foreach (string name in (string[])["table", "codec", "mapped", "cache", "server", "compare"])
        {
            foreach (JsonElement document in folders.SelectMany(folder => Documents(folder, name)))
            {
                JsonElement machine = document.GetProperty(name == "compare" ? "Machine" : "machine");
                yield return $"`{document.GetProperty("Command").GetString()}`, {document.GetProperty("Objects").GetInt32():#,0} objects, {document.GetProperty("Rounds").GetInt32()} rounds, "
                    + $"{machine.GetProperty("Cpu").GetString()}, {machine.GetProperty("Cores").GetInt32()} cores, {machine.GetProperty("Runtime").GetString()}, {machine.GetProperty("Date").GetString()}";
            }
        }
    }

    private static IEnumerable<GoalRow> OfBench(string face, JsonElement document)
    {
        foreach (JsonElement row in document.GetProperty("rows").EnumerateArray())
        {
            if (Bar(row, "Must") is not { } must)
            {
                continue;
            }

            string workload = row.GetProperty("Workload").GetString()!;
            string name = row.GetProperty("Name").GetString()!;
            bool atMost = row.GetProperty("AtMost").GetBoolean();
            JsonElement wall = row.GetProperty("wall");
            double ratio = wall.GetProperty("Ratio").GetDouble();
            string unit = row.GetProperty("Unit").GetString()!;
            bool isAbsolute = wall.GetProperty("Theirs").GetDouble() == 1;
            yield return new GoalRow(
                IsOf("client", name) ? GoalRow.Client : face == "server" ? GoalRow.Server : IsOf("cache", name) ? GoalRow.Cache : _toolWorkloads.Contains(workload) ? GoalRow.Tool : face == "table" ? GoalRow.Heap : face == "codec" ? GoalRow.Codec : GoalRow.Files,
                name,
                GoalRow.Bar(must, atMost),
                GoalRow.Bar(Bar(row, "Reach"), atMost),
                isAbsolute ? $"{GoalRow.Number(ratio)} {unit}" : $"{GoalRow.Number(ratio)}x, {GoalRow.Number(wall.GetProperty("LowerQuartile").GetDouble())} to {GoalRow.Number(wall.GetProperty("UpperQuartile").GetDouble())}",
                wall.GetProperty("Verdict").GetString()!,
                face == "server" ? $"bench/server.sh --only {workload}" : $"Pile.Bench {face} --only {workload}");
        }
    }

    private static IEnumerable<GoalRow> OfCompare(JsonElement document)
    {
        foreach (JsonElement row in document.GetProperty("Rows").EnumerateArray())
        {
            string verdict = row.GetProperty("Verdict").GetString()!;
            string name = row.GetProperty("Name").GetString()!;
            double? must = Bar(row, "Must");
            if (must is null && verdict != "runs")
            {
                continue;
            }

            bool atMost = row.GetProperty("AtMost").GetBoolean();
            string found = Bar(row, "Ratio") is { } ratio
                ? $"{GoalRow.Number(ratio)}{(atMost ? " " + row.GetProperty("Unit").GetString() : "x")}"
                : $"{GoalRow.Number(row.GetProperty("Ours").GetDouble())} {row.GetProperty("Unit").GetString()}";
            yield return new GoalRow(IsOf("cache", name) ? GoalRow.Cache : GoalRow.Comparison, name, GoalRow.Bar(must, atMost), GoalRow.Bar(Bar(row, "Reach"), atMost), found, verdict, "Pile.Compare");
        }
    }

    /// <summary>What bench/json.sh measured.</summary>
    private static GoalRow OfJson(JsonElement run)
    {
        double ratio = run.GetProperty("Ratio").GetDouble();
        return new GoalRow(
            GoalRow.Cache,
            $"cache: 1 KiB of JSON from leases to sockets vs one static array, {run.GetProperty("Values").GetInt64():#,0} values",
            GoalRow.Bar(0.9, atMost: false),
            GoalRow.Bar(0.97, atMost: false),
            $"{GoalRow.Number(ratio)}x requests a second, {GoalRow.Number(run.GetProperty("TimeRatio").GetDouble())}x server time for each",
            GoalRow.VerdictOf(ratio, 0.9, 0.97, atMost: false),
            run.GetProperty("Command").GetString()!);
    }

    private static GoalRow OfTest(JsonElement test)
    {
        long passed = test.GetProperty("passed").GetInt64();
        long failed = test.GetProperty("failed").GetInt64();
        return new GoalRow(
            test.GetProperty("part").GetString()!,
            test.GetProperty("figure").GetString()!,
            test.GetProperty("must").GetString()!,
            "",
            $"{passed} passed, {failed} failed",
            passed > 0 && failed == 0 ? "met" : "MISSED",
            $"{test.GetProperty("filter").GetString()} in {test.GetProperty("project").GetString()}");
    }

    // Names of rows begin with their part where their face does not say it.
    private static bool IsOf(string part, string name) => name.StartsWith(part, StringComparison.Ordinal);

    private static double? Bar(JsonElement row, string name) => row.TryGetProperty(name, out JsonElement bar) && bar.ValueKind == JsonValueKind.Number ? bar.GetDouble() : null;

    /// <summary>The results of a program: of all of it, then those of parts, "name-part.json".</summary>
    private static IEnumerable<JsonElement> Documents(string folder, string name) =>
        Directory.GetFiles(folder, name + ".json").Concat(Directory.GetFiles(folder, name + "-*.json").Order(StringComparer.Ordinal)).Select(static path => JsonElement.Parse(File.ReadAllText(path)));

    private static JsonElement[] Lines(string folder, string name)
    {
        string path = Path.Combine(folder, name);
        return File.Exists(path) ? [.. File.ReadLines(path).Where(static line => line.StartsWith('{')).Select(static line => JsonElement.Parse(line))] : [];
    }
}
