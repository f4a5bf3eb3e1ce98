using System.Collections.Generic;
using System.Threading;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>What a person takes in a memory pile, everything included, against the payload alone.</summary>
internal sealed class PersonBytes(BenchSettings settings) : IWorkload
{
    private const int ObjectsMax = 2_000_000;
    private const int RestMs = 5000;
    private readonly int _objects = int.Min(ObjectsMax, settings.Objects);

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("a Person in a memory pile, everything included", "rest", "one", 82, 80,
            "UsedBytes of a pile of 2 M persons at rest, 5 s after the last Put, over their number: records, table, segments of every kind. Ratio to 1 B.") with { Unit = "B" },
        Row.Slower("the same right after the last Put", "grown", "one", null, null, "with the segments that are kept free while something is written.") with { Unit = "B" },
        Row.Slower("the same, live records only", "live", "one", null, null, "LiveBytes: headers and padding included.") with { Unit = "B" },
    ];

    public void Prepare()
    {
    }

    public void Round(Samples samples)
    {
        using ObjectPile pile = ObjectPile.Create();
        for (int index = 0; index < _objects; index++)
        {
            _ = pile.Put(Made.Person(index));
        }

        Keep("grown", pile.GetStatistics().UsedBytes);
        Keep("live", pile.GetStatistics().LiveBytes);
        Thread.Sleep(RestMs);
        Keep("rest", pile.GetStatistics().UsedBytes);
        Keep("one", _objects);

        void Keep(string series, long bytes) => samples.Keep(series, new Spent(bytes, bytes) / _objects);
    }

    public void Dispose()
    {
    }
}
