// pile bench: a short measurement of puts, reads, updates and commits on this machine and file system, in a pile of its own that is
// removed at the end. A look, not a benchmark: one thread, one round; bench/ of the repository compares.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Globalization;
using System.IO;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>bench</c>.</summary>
internal static class BenchVerb
{
    private const int ObjectsDefault = 1_000_000;
    private const int ObjectsMax = 100_000_000;
    private const int PayloadDefault = 100;
    private const int PayloadMax = 1 << 20;
    private const int Commits = 20;
    private const int Seed = 42;
    private const int StopEvery = 1 << 12;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string?> directory = new("directory") { Description = "Where to make the pile, in a directory of its own; the folder for temporary files unless given.", Arity = ArgumentArity.ZeroOrOne };
        Option<int> objects = new("--objects") { Description = $"So many objects, 1 to {Amount.Count(ObjectsMax)}.", HelpName = "count", DefaultValueFactory = static _ => ObjectsDefault };
        Option<int> bytes = new("--bytes") { Description = $"Bytes of an object, 8 to {Amount.Count(PayloadMax)}.", HelpName = "count", DefaultValueFactory = static _ => PayloadDefault };
        objects.Validators.Add(VerbBuilder.InRange(objects, 1, ObjectsMax));
        bytes.Validators.Add(VerbBuilder.InRange(bytes, 8, PayloadMax));
        return VerbBuilder.Verb(
            "bench",
            "Measures puts, reads, updates and commits in a pile of its own, by one thread. It is removed at the end.",
            null,
            (run, parsed) => Run(run, parsed.GetValue(directory), parsed.GetValue(objects), parsed.GetValue(bytes)),
            directory,
            objects,
            bytes);
    }

    private static ExitCode Run(VerbRun run, string? parent, int objects, int bytes)
    {
        parent = Path.GetFullPath(parent ?? Path.GetTempPath());
        if (!Directory.Exists(parent))
        {
            throw new DirectoryNotFoundException($"There is no directory '{parent}' to measure in. Create it, or give another.");
        }

        string path = Path.Combine(parent, $"pile-bench-{Environment.ProcessId}");
        if (Path.Exists(path))
        {
            throw new IOException($"'{path}' is there already. Remove it, or give another directory.");
        }

        try
        {
            List<Step> steps = run.WithProgress("measuring", ofBytes: false, meter => Measure(run, meter, path, objects, bytes));
            Write(run, parent, objects, bytes, steps);
            return ExitCode.Ok;
        }
        catch (PileException full) when (full.Status == PileStatus.Full)
        {
            throw new IOException(
                string.Create(CultureInfo.InvariantCulture, $"'{parent}' has not the space for {Amount.Count(objects)} objects of {Amount.Count(bytes)} bytes. Give --objects fewer, or another directory."), full);
        }
        finally
        {
            if (Directory.Exists(path))
            {
                Directory.Delete(path, recursive: true);
            }
        }
    }

    private static List<Step> Measure(VerbRun run, Meter meter, string path, int objects, int bytes)
    {
        List<Step> steps = [];
        var random = new Random(Seed);
        byte[] payload = new byte[bytes];
        random.NextBytes(payload);
        var pointers = new PilePointer[objects];
        int[] order = new int[objects];
        for (int index = 0; index < objects; index++)
        {
            order[index] = index;
        }

        random.Shuffle(order);
        long total = 3L * objects;
        ObjectPile pile = ObjectPile.Open(path, new PileOptions { OpenMode = PileOpenMode.CreateNew });
        try
        {
            Time("put", objects, at => pointers[at] = pile.PutBytes(payload), 0);
            long sum = 0;
            Time("lease, random", objects, at =>
            {
                using PileLease lease = pile.Lease(pointers[order[at]]);
                sum += lease.Bytes[0];
            }, objects);
            Time("update, random", objects, at => pile.UpdateBytes(pointers[order[at]], payload), 2L * objects);
            Time("commit after a put", Commits, at =>
            {
                pointers[at % objects] = pile.PutBytes(payload);
                pile.Commit();
            }, total);
            GC.KeepAlive(sum);
        }
        finally
        {
            long closing = run.Clock.GetTimestamp();
            pile.Dispose();
            steps.Add(new Step("close", 1, run.Clock.GetElapsedTime(closing)));
        }

        long opening = run.Clock.GetTimestamp();
        using ObjectPile again = ObjectPile.Open(path, new PileOptions { OpenMode = PileOpenMode.ReadOnly });
        steps.Add(new Step("open after a close", 1, run.Clock.GetElapsedTime(opening)));
        return steps;

        void Time(string what, int count, Action<int> work, long before)
        {
            long start = run.Clock.GetTimestamp();
            for (int at = 0; at < count; at++)
            {
                work(at);
                if (at % StopEvery == 0)
                {
                    run.Stop.ThrowIfCancellationRequested();
                    meter.Report(before + at, total);
                }
            }

            steps.Add(new Step(what, count, run.Clock.GetElapsedTime(start)));
        }
    }

    private static void Write(VerbRun run, string parent, int objects, int bytes, List<Step> steps) => run.Write(
        json =>
        {
            json.WriteString("measuredIn", parent);
            json.WriteNumber("objects", objects);
            json.WriteNumber("payloadBytes", bytes);
            json.Array("steps", steps, step =>
            {
                json.WriteString("name", step.Name);
                json.WriteNumber("count", step.Count);
                json.WriteNumber("seconds", step.Spent.TotalSeconds);
            });
        },
        text =>
        {
            text.Line($"{Amount.Count(objects)} objects of {Amount.Count(bytes)} bytes, one thread, PowerSafe, in {parent}; one round, not a benchmark");
            text.Line();
            List<string[]> rows = [];
            foreach (Step step in steps)
            {
                double seconds = double.Max(step.Spent.TotalSeconds, 1e-9);
                string each = (seconds / step.Count * 1e6).ToString(step.Count > Commits ? "0.000" : "0", CultureInfo.InvariantCulture);
                rows.Add([step.Name, Amount.Count(step.Count), each, step.Count > 1 ? Amount.Count((long)(step.Count / seconds)) : ""]);
            }

            text.Table(["what", ">count", ">us each", ">a second"], rows);
        });

    private sealed record Step(string Name, long Count, TimeSpan Spent);
}
