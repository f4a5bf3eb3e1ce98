using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.Json;

namespace Pile.Bench.Goals;

/// <summary>The goals that Pile.Soak's scenarios measure: which cells of their lines, and the bars.</summary>
internal static class SoakBars
{
    /// <summary>The rows of the scenarios that ran.</summary>
    /// <param name="lines">Gives the lines of a scenario, none if it did not run.</param>
    internal static IEnumerable<GoalRow> Read(Func<string, JsonElement[]> lines)
    {
        JsonElement[] churn = lines("churn");
        if (churn.Length > 0)
        {
            string sizes = $"{churn.Min(static line => Cell(line, "objects")):#,0} to {churn.Max(static line => Cell(line, "objects")):#,0} objects";
            yield return Row($"churn of {sizes}: resident over live, the worst of all sizes", churn.Max(static line => Cell(line, "resident max")), 1.30, 1.20, "", "churn");
            yield return Row("churn: the last quarter's largest over the second's, the worst", churn.Max(static line => Cell(line, "resident flat")), 1.02, null, "", "churn");
        }

        JsonElement[] shrink = lines("shrink");
        if (shrink.Length > 0)
        {
            double least = shrink.Where(static line => line.GetProperty("case").GetString() == "cleaner on").Min(static line => Cell(line, "resident/live"));
            yield return Row("after deleting a random 75 %: resident over live, the least within 30 s", least, 1.30, 1.15, "", "shrink");
            yield return Row("the same at the end of 30 s of updates and reads", Cell(Case(shrink, "cleaner on"), "resident/live"), 1.30, 1.15, "", "shrink");
            double more = Cell(Case(shrink, "cleaner on"), "p99.9 us") - Cell(Case(shrink, "cleaner off"), "p99.9 us");
            yield return Row("foreground p99.9 meanwhile, minus the same with the cleaner off", more / 1000, 1, 0.1, " ms", "shrink");
        }

        JsonElement[] strings = lines("strings");
        if (strings.Length > 0)
        {
            yield return Row($"{Cell(strings[0], "objects"):#,0} 32-character ASCII strings, everything included, right after the last Put", Cell(strings[0], "used B/object"), 48.5, 48.2, " B", "strings");
            yield return Row("the same, five seconds later", Cell(strings[^1], "used B/object"), 48.5, 48.2, " B", "strings");
        }

        JsonElement[] gen2 = lines("gen2");
        if (gen2.Length > 0)
        {
            double more = Cell(Case(gen2, "pile"), "median pause ms") - Cell(Case(gen2, "empty process"), "median pause ms");
            yield return Row($"gen2 blocking collection with {Cell(Case(gen2, "pile"), "objects"):#,0} live objects, minus an empty process", more, 0.5, 0.2, " ms", "gen2");
        }

        JsonElement[] large = lines("large");
        if (large.Length > 0)
        {
            double more = Cell(Case(large, "4 readers"), "p99 us") - Cell(Case(large, "alone"), "p99 us");
            yield return Row("1 updater against 4 readers of one 200 kB object: its p99 minus the same alone", more / 1000, 10, 1, " ms", "large");
        }

        foreach (JsonElement line in lines("empty"))
        {
            double piles = Cell(line, "piles");
            yield return piles == 1
                ? Row("an empty pile", Cell(line, "empty KiB each"), 1024, 64, " KiB", "empty")
                : Row($"{piles:#,0} piles in one process: wrong reads", Cell(line, "wrong reads"), 0, null, "", "empty");
        }
    }

    private static GoalRow Row(string figure, double found, double must, double? reach, string unit, string scenario) => new(
        GoalRow.Heap, figure, GoalRow.Bar(must, atMost: true), GoalRow.Bar(reach, atMost: true), GoalRow.Number(found) + unit, GoalRow.VerdictOf(found, must, reach), $"Pile.Soak {scenario}");

    /// <summary>The last line of a case: scenarios that look more than once end with it.</summary>
    private static JsonElement Case(JsonElement[] lines, string name) => lines.Last(line => line.GetProperty("case").GetString() == name);

    private static double Cell(JsonElement line, string name) => double.Parse(line.GetProperty(name).GetString()!, CultureInfo.InvariantCulture);
}
