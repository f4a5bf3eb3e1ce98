using System;
using System.Collections.Generic;
using Pile.Soak;

// Figures that take minutes: one scenario a run, a plain table or --json on standard output.
// Each case runs in a process of its own; --scale 0.01 makes a quick run of any.
Dictionary<string, (string[] Cases, Action<string, SoakOptions, Action<SoakRow>> Run)> scenarios = new(StringComparer.Ordinal)
{
    ["churn"] = (ChurnScenario.Cases, ChurnScenario.Run),
    ["shrink"] = (ShrinkScenario.Cases, ShrinkScenario.Run),
    ["gen2"] = (Gen2Scenario.Cases, Gen2Scenario.Run),
    ["large"] = (LargeScenario.Cases, LargeScenario.Run),
    ["strings"] = (StringsScenario.Cases, StringsScenario.Run),
    ["empty"] = (EmptyScenario.Cases, EmptyScenario.Run),
    ["stale"] = (StaleScenario.Cases, StaleScenario.Run),
};
var options = new SoakOptions(args);
if (!scenarios.TryGetValue(options.Scenario, out (string[] Cases, Action<string, SoakOptions, Action<SoakRow>> Run) scenario))
{
    Console.Error.WriteLine($"unknown scenario: {(options.Scenario.Length == 0 ? "(none given)" : options.Scenario)}");
    Console.Error.WriteLine($"usage: Pile.Soak {string.Join('|', scenarios.Keys)} [--case NAME] [--objects N] [--seconds S] [--scale F] [--json]");
    return 2;
}

var printer = new SoakPrinter(options.Json || options.IsChild);
if (options.IsChild)
{
    scenario.Run(options.Case, options, row => printer.Print(row.Cells));
    return 0;
}

foreach (string name in options.Case.Length > 0 ? [options.Case] : scenario.Cases)
{
    ChildRun.Run(options, name, printer);
}

return 0;
