using System;
using System.Globalization;
using System.Runtime;
using System.Threading;
using Pile.Bench.Caches;
using Pile.Bench.Running;
using Pile.Bench.Workloads;
using Pile.Cache;
using Pile.Memory;

namespace Pile.Bench.Mapped;

/// <summary>The child's side: opens a pile, reads and writes one object, tells how long that took, and waits.</summary>
internal static class MappedChild
{
    /// <summary>The word of the command line.</summary>
    internal const string Verb = "mapped-child";

    /// <summary>The root that leads to an object of 100 B.</summary>
    internal const string FirstRoot = "first";

    /// <summary>Opens as it is.</summary>
    internal const string Found = "found";

    /// <summary>Opens after a power cut, as the open sees one: the boot is another.</summary>
    internal const string Rebooted = "rebooted";

    /// <summary>The same, and writes nothing.</summary>
    internal const string RebootedForReading = "rebooted-reading";

    /// <summary>Recovers FasterKV.</summary>
    internal const string FasterRecover = "faster";

    /// <summary>Fills a pile and reads it, once it is told to.</summary>
    internal const string Limited = "limited";

    /// <summary>Opens in a host, and stops that.</summary>
    internal const string Hosted = "hosted";

    /// <summary>Opens a cache.</summary>
    internal const string Cache = "cache";

    /// <summary>Fills a cache in memory, and replaces what is in it.</summary>
    internal const string CacheInMemory = "cache-memory";

    /// <summary>The same in files.</summary>
    internal const string CacheInFiles = "cache-files";

    private const int Writers = 2;

    /// <summary>Runs: the directory, how it is opened, and the objects that are put before it waits.</summary>
    internal static int Run(string[] args)
    {
        (string directory, string how, int objects) = (args[0], args[1], int.Parse(args[2], CultureInfo.InvariantCulture));
        if (how == FasterRecover)
        {
            Console.WriteLine(Told.LineOf(FasterFiles.Recover(directory, objects)));
            return 0;
        }

        if (how == Limited)
        {
            _ = Console.In.ReadLine();
            Console.WriteLine(LimitedRun.Run(directory, objects));
            return 0;
        }

        if (how == Hosted)
        {
            Console.WriteLine(Told.LineOf(HostedRun.Run(directory, objects)));
            return 0;
        }

        if (how is CacheInMemory or CacheInFiles)
        {
            CacheFillRun.Run(how == CacheInFiles ? directory : null, objects);
            return 0;
        }

        if (how == Cache)
        {
            using PileCache cache = CacheRun.Reopen(directory, objects, out Spent taken);
            Console.WriteLine(Told.LineOf(taken));
            _ = Console.In.ReadToEnd();
            return 0;
        }

        using ObjectPile pile = Open(directory, new PileOptions
        {
            Files = how == Found ? null : new OtherBoot(FileProvider.Default),
            OpenMode = how == RebootedForReading ? PileOpenMode.ReadOnly : PileOpenMode.OpenExisting,
        });
        Put(pile, objects);
        Console.WriteLine("ready");
        _ = Console.In.ReadToEnd();
        return 0;
    }

    private static ObjectPile Open(string directory, PileOptions options)
    {
        byte[] payload = new byte[Data.PayloadBytes];
        _ = Spent.Now();
        TimeSpan compiled = JitInfo.GetCompilationTime(currentThread: true);
        Spent start = Spent.Now();
        ObjectPile pile = ObjectPile.Open(directory, options);
        Spent opened = Spent.Now();
        if (!pile.Roots.TryGet(FirstRoot, out PilePointer first) || !pile.TryCopyTo(first, payload, out int bytes) || bytes != payload.Length)
        {
            throw new InvalidOperationException("The first object can't be read.");
        }

        Spent got = Spent.Now();
        if (options.OpenMode != PileOpenMode.ReadOnly)
        {
            _ = pile.PutBytes(payload);
        }

        Spent put = Spent.Now();
        double jit = (JitInfo.GetCompilationTime(currentThread: true) - compiled).TotalNanoseconds;
        PileRecoveryReport report = pile.RecoveryReport();
        double crawl = report.CrawlDuration.TotalNanoseconds;
        Console.WriteLine(new Told(
            report.Opening, report.Bytes, report.CheckpointFlush, opened - start, got - opened, put - got, new Spent(jit, jit), new Spent(crawl, crawl)).Line);
        return pile;
    }

    private static void Put(ObjectPile pile, int objects)
    {
        var threads = new Thread[Writers];
        for (int thread = 0; thread < Writers; thread++)
        {
            threads[thread] = new Thread(() => _ = Data.Fill(pile, objects / Writers));
            threads[thread].Start();
        }

        foreach (Thread thread in threads)
        {
            thread.Join();
        }
    }
}
