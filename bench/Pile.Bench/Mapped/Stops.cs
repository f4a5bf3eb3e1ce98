using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using Pile.Bench.Running;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>How long a pile takes to close after a second in which nothing was written: in a host that stops, and by Dispose alone.</summary>
internal sealed class Stops : IWorkload
{
    private const int Added = 1000;
    private const double NsOfMs = 1e6;
    private readonly Workplace _place;
    private readonly int _objects;
    private readonly byte[] _payload = Data.Payload();
    private string _program = "";

    internal Stops(BenchSettings settings)
    {
        _objects = settings.Objects;
        _place = Workplace.OnDisk(settings, "stop");
        string what = string.Create(CultureInfo.InvariantCulture, $"{_objects:N0} objects of 100 B, PowerSafe; {Added:N0} more put, {HostedRun.IdleMs:N0} ms without a call, then ");
        Rows =
        [
            new Row(
                "stop of a host after a second of idling",
                what + "StopAsync of a host with the pile, in a process of its own, JIT included: the last flush, the table's checksums, meta, and all else that the host does. Pile.dll as the package has it. Ratio to 1 ms.",
                static samples => samples["host"],
                static _ => 1) { Must = 200, Reach = 50, Unit = "ms" },
            new Row(
                "the same by Dispose alone",
                what + "Dispose, in this process, which has done it before. Ratio to 1 ms.",
                static samples => samples["dispose"],
                static _ => 1) { Unit = "ms" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        _program = Precompiled.Copy(_place.Of("precompiled"));
        MappedData.Fill(_place.Of("pile"), _objects, PilePromise.PowerSafe);
    }

    public void Round(Samples samples)
    {
        using (var child = new Child(_program, _place.Of("pile"), MappedChild.Hosted, Added.ToString(CultureInfo.InvariantCulture)))
        {
            samples.Keep("host", Told.ReadSpent(child) / NsOfMs);
            child.Close();
        }

        ObjectPile pile = ObjectPile.Open(_place.Of("pile"));
        _ = Loops.Put(pile, _payload, new PilePointer[Added]);
        SpinWait.SpinUntil(() => pile.GetStatistics().IsCounted);
        Thread.Sleep(HostedRun.IdleMs);
        Spent start = Spent.Now();
        pile.Dispose();
        samples.Keep("dispose", (Spent.Now() - start) / NsOfMs);
    }

    public void Dispose() => _place.Dispose();
}
