using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>The recovery after a power cut, in a fresh process: the crawl against a bare pass of CRC32C over the same bytes, all of
/// it against what FasterKV needs to recover the same objects.</summary>
internal sealed class Recoveries : IWorkload
{
    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private string _program = "";

    internal Recoveries(BenchSettings settings)
    {
        _settings = settings;
        _place = Workplace.OnDisk(settings, "recovery");
        string what = $"{settings.Objects:N0} objects of 100 B, the machine's boot another than when they were put";
        const string Theirs = " Theirs: FasterKV with as many objects, a full checkpoint (fold-over) on the same disk; from its constructor until Recover returned and an object was read.";
        const string Pass = "Theirs: CRC32C over as many bytes of the same files, newly mapped, by as many threads.";
        Rows =
        [
            Faster("crawl vs CRC32C pass", "walk", "crc", 0.4, 0.7,
                $"{what}: what Open for reading alone takes to build the table from all records, by its report (CrawlDuration), in a fresh process, JIT included; that is a time of the clock, which stands for the processor's too. {Pass}"),
            Row.Faster("whole open by a crawl vs CRC32C pass", "crawl", "crc", null, null, $"all of that open, and a Get. {Pass}") with { Unit = "ms" },
            Faster("recovery without checkpoint vs FasterKV Recover", "whole", "faster", 5, 20,
                $"{what}; no checkpoint: from the call of Open until an object was read and another put. What was built becomes durable with the first flush, which is not waited for.{Theirs}"),
            Faster("recovery with checkpoint vs FasterKV Recover", "checkpoint", "faster", 5, 20, $"the same, going on from a checkpoint that was taken when nine tenths of the objects were put.{Theirs}"),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        _program = Precompiled.Copy(_place.Of("precompiled"));
        foreach (string pile in (string[])["without", "with"])
        {
            MappedData.Fill(_place.Of(pile), _settings.Objects, PilePromise.PowerSafe);
            using var child = new Child(_program, _place.Of(pile), MappedChild.Found, "0");
            _ = Told.Read(child);
            _ = child.Next();
            child.Kill();
        }

        foreach (string file in Directory.GetFiles(_place.Of("without"), "checkpoint.*"))
        {
            File.Delete(file);
        }

        _ = Directory.CreateDirectory(_place.Of("faster"));
        FasterFiles.Fill(_place.Of("faster"), _settings.Objects);
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        Workplace.Settle();
        Told crawl = Open("without", MappedChild.RebootedForReading);
        samples.Keep("crawl", Whole(crawl) / NsOfMs);
        samples.Keep("walk", crawl.Crawl / NsOfMs);
        using (var pass = new CrcPass(_place.Of("without")))
        {
            samples.Keep("crc", pass.Run(crawl.Bytes) / NsOfMs);
        }

        Told whole = Open("without", MappedChild.Rebooted);
        samples.Keep("whole", Whole(whole) / NsOfMs);
        Told checkpoint = Open("with", MappedChild.Rebooted);
        samples.Keep("checkpoint", Whole(checkpoint) / NsOfMs);
        Expect(whole.CheckpointFlush < 0, "a checkpoint was used where there should be none");
        Expect(checkpoint.CheckpointFlush >= 0, "the checkpoint was not used");
        Workplace.TakeMemory();
        using var child = new Child(_program, _place.Of("faster"), MappedChild.FasterRecover, _settings.Objects.ToString(CultureInfo.InvariantCulture));
        samples.Keep("faster", Told.ReadSpent(child) / NsOfMs);
        child.Close();
    }

    public void Dispose() => _place.Dispose();

    private const double NsOfMs = 1e6;

    private static Spent Whole(Told told) => told.Open + told.Get + told.Put;

    private static void Expect(bool isTrue, string problem)
    {
        if (!isTrue)
        {
            throw new InvalidOperationException(problem);
        }
    }

    /// <summary>Opens in a child, which is killed: the next open finds the power cut again.</summary>
    private Told Open(string pile, string how)
    {
        Workplace.TakeMemory();
        using var child = new Child(_program, _place.Of(pile), how, "0");
        Told told = Told.Read(child);
        Expect(told.Opening == PileOpening.Crawled, $"the pile was opened {told.Opening}");
        _ = child.Next();
        child.Kill();
        return told;
    }

    private static Row Faster(string name, string ours, string theirs, double must, double reach, string definition) =>
        Row.Faster(name, ours, theirs, must, reach, definition) with { Unit = "ms" };
}
