// pile bench: stores, reads and a mix of both by so many clients at once, as redis-benchmark does it: in a cache of its own in a directory,
// which is removed, or in a table of its own at a server, which is dropped. A look at this machine, not a comparison: bench/ compares.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Globalization;
using System.IO;
using System.Threading;
using Pile.Cache;
using Pile.Client;
using Pile.Tool.Measuring;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>bench</c>.</summary>
internal static class BenchVerb
{
    private const int RequestsDefault = 100_000;
    private const int NumberMax = 100_000_000;
    private const int ClientsMax = 10_000;
    private const int PipelineMax = 4096;
    private const int ConnectionsMax = 64;
    private const int BytesDefault = 100;
    private const int BytesMax = 1 << 20;
    private const int ReadsDefault = 90;
    private const int Commits = 20;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.Where();
        where.Description = "A directory to measure in, or a server's address: http://host:port, https://host:port, unix:path.";
        Option<int> clients = Number("--clients", $"Requests under way at once, 1 to {Amount.Count(ClientsMax)}; of a directory threads.", ClientsMax, Environment.ProcessorCount);
        Option<int> requests = Number("--requests", "Requests of each step.", NumberMax, RequestsDefault);
        Option<int> pipeline = Number("--pipeline", $"Entries of a request, 1 to {Amount.Count(PipelineMax)}: more than one travel as a batch.", PipelineMax, 1);
        Option<int> keys = Number("--keys", "Different keys, drawn at random.", NumberMax, RequestsDefault);
        Option<int> connections = Number("--connections", $"Of a server: connections, 1 to {ConnectionsMax}.", ConnectionsMax, 1);
        Option<int> reads = new("--reads") { Description = "Of the mixed step, how many of a hundred requests read.", HelpName = "percent", DefaultValueFactory = static _ => ReadsDefault, CustomParser = NumberText.Int("--reads", 0, 100) };
        Option<int[]> bytes = new("--bytes") { Description = $"Bytes of a value, 1 to {Amount.Count(BytesMax)}; may be given several times.", HelpName = "count", DefaultValueFactory = static _ => [BytesDefault], CustomParser = NumberText.Ints("--bytes", 1, BytesMax) };
        return VerbBuilder.Verb(
            "bench",
            "Measures stores, reads and a mix of both, by so many clients at once, in a cache or a table of its own that is removed at the end.",
            where,
            (run, parsed) =>
            {
                var work = new Workload(parsed.GetValue(clients), parsed.GetValue(requests), parsed.GetValue(pipeline), parsed.GetValue(keys), parsed.GetValue(reads));
                return run.Address is null ? InDirectory(run, work, parsed.GetValue(bytes)!) : AtServer(run, work, parsed.GetValue(bytes)!, parsed.GetValue(connections));
            },
            clients,
            requests,
            pipeline,
            keys,
            bytes,
            reads,
            connections);
    }

    private static ExitCode InDirectory(VerbRun run, Workload work, int[] sizes)
    {
        string parent = Path.GetFullPath(run.Directory!);
        if (!Directory.Exists(parent))
        {
            throw new DirectoryNotFoundException($"There is no directory '{parent}' to measure in. Create it, or give another.");
        }

        string path = Path.Combine(parent, $"pile-bench-{Environment.ProcessId}");
        if (Path.Exists(path))
        {
            throw new IOException($"'{path}' is there already. Remove it, or give another directory.");
        }

        // Each client is a thread here; the pool would start them one after the other.
        ThreadPool.GetMinThreads(out int threads, out int completions);
        _ = ThreadPool.SetMinThreads(int.Max(threads, work.Clients), completions);
        try
        {
            List<Step> steps = [];
            PileCache cache = PileCache.Open(path);
            try
            {
                PileTable<byte[], byte[]> table = cache.GetOrCreateTable<byte[], byte[]>("bench", new PileTableOptions { Kind = PileTableKind.Durable });
                Measure(run, new MeasuredCache(table), work, sizes, steps);
                steps.Add(Time(run, "commit after a set", Commits, index =>
                {
                    _ = table.Set([(byte)index], new byte[sizes[0]]);
                    cache.Pile.Commit();
                }));
            }
            finally
            {
                steps.Add(Time(run, "close", 1, _ => cache.Dispose()));
            }

            steps.Add(Time(run, "open after a close", 1, _ => PileCache.Open(path).Dispose()));
            Write(run, $"in {parent}, PowerSafe", work, steps);
            return ExitCode.Ok;
        }
        catch (PileException full) when (full.Status == PileStatus.Full)
        {
            throw new IOException($"'{parent}' has not the space for {Amount.Count(work.Keys)} entries. Give --keys fewer, or another directory.", full);
        }
        finally
        {
            if (Directory.Exists(path))
            {
                Directory.Delete(path, recursive: true);
            }
        }
    }

    private static ExitCode AtServer(VerbRun run, Workload work, int[] sizes, int connections)
    {
        string name = $"pile-bench-{Environment.ProcessId}-{Guid.NewGuid():N}";
        var clients = new PileClient[connections];
        try
        {
            for (int index = 0; index < clients.Length; index++)
            {
                clients[index] = run.Connect(isBatching: true);
            }

            _ = clients[0].CreateTableAsync(name, null, run.Stop).GetAwaiter().GetResult();
            List<Step> steps = [];
            try
            {
                Measure(run, new MeasuredServer(Array.ConvertAll(clients, client => client.Table(name)), run.Stop), work, sizes, steps);
            }
            finally
            {
                _ = clients[0].DropTableAsync(name, CancellationToken.None).GetAwaiter().GetResult();
            }

            Write(run, $"at {run.Address}, {(connections == 1 ? "one connection" : $"{Amount.Count(connections)} connections")}", work, steps);
            return ExitCode.Ok;
        }
        finally
        {
            Array.ForEach(clients, static client => client?.Dispose());
        }
    }

    private static void Measure(VerbRun run, IMeasured target, Workload work, int[] sizes, List<Step> steps)
    {
        var load = new Load(target, work, run.Clock, run.Stop);
        foreach (int bytes in sizes)
        {
            _ = run.WithProgress("filling", ofBytes: false, meter =>
            {
                load.Fill(bytes, meter);
                return 0;
            });
            steps.Add(run.WithProgress("set", ofBytes: false, meter => load.Run("set", bytes, 0, meter)));
            steps.Add(run.WithProgress("get", ofBytes: false, meter => load.Run("get", bytes, 100, meter)));
            steps.Add(run.WithProgress("mix", ofBytes: false, meter => load.Run("mix", bytes, work.ReadPercent, meter)));
        }
    }

    private static Step Time(VerbRun run, string name, int count, Action<int> work)
    {
        var times = new LatencyHistogram();
        long begin = run.Clock.GetTimestamp();
        for (int index = 0; index < count; index++)
        {
            long start = run.Clock.GetTimestamp();
            work(index);
            times.Add(run.Clock.GetElapsedTime(start).Ticks * 100);
        }

        return new Step(name, 0, count, count, run.Clock.GetElapsedTime(begin), times);
    }

    private static void Write(VerbRun run, string place, Workload work, List<Step> steps) => run.Write(
        json =>
        {
            json.WriteNumber("clients", work.Clients);
            json.WriteNumber("requests", work.Requests);
            json.WriteNumber("pipeline", work.Pipeline);
            json.WriteNumber("keys", work.Keys);
            json.WriteNumber("readPercent", work.ReadPercent);
            json.Array("steps", steps, step =>
            {
                json.WriteString("name", step.Name);
                json.WriteNumber("valueBytes", step.Bytes);
                json.WriteNumber("requests", step.Requests);
                json.WriteNumber("entries", step.Entries);
                json.WriteNumber("seconds", step.Spent.TotalSeconds);
                json.WriteNumber("entriesPerSecond", step.Rate);
                json.WriteNumber("p50Us", Us(step, 0.5));
                json.WriteNumber("p95Us", Us(step, 0.95));
                json.WriteNumber("p99Us", Us(step, 0.99));
                json.WriteNumber("p999Us", Us(step, 0.999));
                json.WriteNumber("maxUs", step.Times.MostNs / 1000.0);
            });
        },
        text =>
        {
            text.Line($"{Amount.Count(work.Requests)} requests a step, {Amount.Count(work.Clients)} clients, pipeline {Amount.Count(work.Pipeline)}, {Amount.Count(work.Keys)} keys, mix of {work.ReadPercent} % reads, {place}; one round, not a benchmark. Times in microseconds.");
            text.Line();
            List<string[]> rows = [];
            foreach (Step step in steps)
            {
                string rate = step.Requests > Commits ? Amount.Count((long)step.Rate) : "";
                rows.Add([step.Name, step.Bytes > 0 ? Amount.Count(step.Bytes) : "", rate, .. Array.ConvertAll((double[])[Us(step, 0.5), Us(step, 0.95), Us(step, 0.99), Us(step, 0.999), step.Times.MostNs / 1000.0], Say)]);
            }

            text.Table(["what", ">bytes", ">entries/s", ">50 %", ">95 %", ">99 %", ">99.9 %", ">most"], rows);
        });

    private static double Us(Step step, double share) => step.Times.WithinNs(share) / 1000.0;

    private static string Say(double us) => us.ToString(us < 100 ? "0.0" : "#,0", CultureInfo.InvariantCulture);

    private static Option<int> Number(string name, string description, int max, int otherwise) =>
        new(name) { Description = description, HelpName = "count", DefaultValueFactory = _ => otherwise, CustomParser = NumberText.Int(name, 1, max) };
}
