using System.Collections.Generic;
using System.Threading;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>How long a pile takes to close, as a host's stop does, after a second in which nothing was written.</summary>
internal sealed class Stops : IWorkload
{
    private const int IdleMs = 1000;
    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private readonly byte[] _payload = Data.Payload();

    internal Stops(BenchSettings settings)
    {
        _settings = settings;
        _place = Workplace.OnDisk(settings, "stop");
        Rows =
        [
            new Row(
                "stop after a second of idling",
                $"{settings.Objects:N0} objects of 100 B, PowerSafe; 1,000 more put, {IdleMs:N0} ms without a call, then Dispose: the last flush, the table's checksums, meta. Ratio to 1 ms.",
                static samples => samples["stop"],
                static _ => 1) { Must = 200, Reach = 50, Unit = "ms" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare() => MappedData.Fill(_place.Of("pile"), _settings.Objects, PilePromise.PowerSafe);

    public void Round(Samples samples)
    {
        ObjectPile pile = ObjectPile.Open(_place.Of("pile"));
        _ = Loops.Put(pile, _payload, new PilePointer[1000]);
        SpinWait.SpinUntil(() => pile.GetStatistics().IsCounted);
        Thread.Sleep(IdleMs);
        Spent start = Spent.Now();
        pile.Dispose();
        samples.Keep("stop", (Spent.Now() - start) / 1_000_000);
    }

    public void Dispose() => _place.Dispose();
}
