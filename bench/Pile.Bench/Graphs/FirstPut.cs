using System;
using System.Collections.Generic;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>The first Put of a type that the process has not put before, after others.</summary>
internal sealed class FirstPut : IWorkload
{
    private const int WarmTypes = 4;
    private const double MsInNs = 1e6;
    private readonly ObjectPile _pile = ObjectPile.Create();
    private int _next;

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("first Put of a new type of 7 fields, vs 1 ms", "first", "ms", 1, 0.2,
            "one Put, its schema kept, in a process that has put four types like it and others; a new type a round."),
        Row.Slower("first Get of it, vs 1 ms", "first-get", "ms", null, null, "right after."),
    ];

    public void Prepare()
    {
        _ = _pile.Put(Made.Person(1));
        _ = _pile.Put(Made.Invoice(1));
        for (int warm = 0; warm < WarmTypes; warm++)
        {
            Round(new Samples());
        }
    }

    public void Round(Samples samples)
    {
        object value = NewTypes.Makers[_next++]();
        Spent start = Spent.Now();
        PilePointer pointer = _pile.Put(value);
        samples.Keep("first", Spent.Now() - start);
        start = Spent.Now();
        object back = _pile.Get<object>(pointer);
        samples.Keep("first-get", Spent.Now() - start);
        samples.Keep("ms", new Spent(MsInNs, MsInNs));
        GC.KeepAlive(back);
    }

    public void Dispose() => _pile.Dispose();
}
