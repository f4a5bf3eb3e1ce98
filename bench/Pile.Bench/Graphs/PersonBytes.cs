using System.Collections.Generic;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>What a person takes in a memory pile, everything included, against the payload alone.</summary>
internal sealed class PersonBytes(BenchSettings settings) : IWorkload
{
    private readonly int _objects = settings.Objects;

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("a Person in a memory pile, everything included", "used", "one", 82, 80,
            "UsedBytes of a pile of --objects persons (10 M by default) after Compact, over their number: records, table, free and reserved segments. Ratio to 1 B.") with { Unit = "B" },
        Row.Slower("the same before Compact", "grown", "one", null, null, "right after the last Put.") with { Unit = "B" },
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
        _ = pile.Compact();
        Keep("used", pile.GetStatistics().UsedBytes);
        Keep("one", _objects);

        void Keep(string series, long bytes) => samples.Keep(series, new Spent(bytes, bytes) / _objects);
    }

    public void Dispose()
    {
    }
}
