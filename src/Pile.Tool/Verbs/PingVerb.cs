// pile ping: whether a server serves, and how long it takes to say so: the first answer with the making of the connection, then others.
// It needs no token: health is everybody's to ask.
using System;
using System.CommandLine;
using System.Globalization;
using Pile.Client;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>ping</c>.</summary>
internal static class PingVerb
{
    private const int CountDefault = 10;
    private const int CountMax = 1_000_000;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> address = VerbBuilder.Address();
        Option<int> count = new("--count") { Description = $"Ask so often, 1 to {Amount.Count(CountMax)}.", HelpName = "count", DefaultValueFactory = static _ => CountDefault, CustomParser = NumberText.Int("--count", 1, CountMax) };
        return VerbBuilder.Verb("ping", "Asks a server whether it serves, and how long it takes to say so. The exit code is 8 when it does not.", address, (run, parsed) => Run(run, parsed.GetValue(count)), count);
    }

    private static ExitCode Run(VerbRun run, int count)
    {
        using PileClient client = run.Connect();
        double first = Ping(run, client);
        double[] ms = new double[count];
        _ = run.WithProgress("asking", ofBytes: false, meter =>
        {
            for (int index = 0; index < count; index++)
            {
                ms[index] = Ping(run, client);
                meter.Report(index + 1, count);
            }

            return count;
        });
        Array.Sort(ms);
        run.Write(
            json =>
            {
                json.WriteBoolean("isServing", true);
                json.WriteNumber("connectMs", first);
                json.WriteNumber("count", count);
                json.WriteNumber("medianMs", ms[count / 2]);
                json.WriteNumber("maxMs", ms[^1]);
            },
            text => text.Pairs(
            [
                ("server", run.Address!),
                ("state", "serving"),
                ("first answer", $"{Ms(first)}, with the making of the connection"),
                ("answers", $"{Ms(ms[count / 2])} in the middle of {Amount.Count(count)}, {Ms(ms[^1])} at the most"),
            ]));
        return ExitCode.Ok;
    }

    private static double Ping(VerbRun run, PileClient client) => client.PingAsync(run.Stop).GetAwaiter().GetResult().TotalMilliseconds;

    private static string Ms(double ms) => string.Create(CultureInfo.InvariantCulture, $"{ms:0.00} ms");
}
