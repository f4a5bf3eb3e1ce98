using System;
using System.Collections.Generic;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>What Put and Get allocate.</summary>
internal sealed class GraphAllocation : IWorkload
{
    private const int Objects = 1000;
    private const int ListNodes = 64 << 10;
    private const int WarmRounds = 3;
    private readonly ObjectPile _pile = ObjectPile.Create();

    public IReadOnlyList<Row> Rows { get; } =
    [
        Zero("Put of a Person allocates", "person-put", "mean of 1,000 fresh objects."),
        Zero("Put of an Invoice allocates", "invoice-put", "mean of 1,000 fresh objects."),
        Zero("Put of a graph of 64 K objects allocates", "list-put", "a fresh linked list of 65,536 nodes."),
        Row.Slower("Get of a Person allocates, vs the graph alone", "person-get", "person-copy", 1, null,
            "mean of 1,000. Theirs: a copy made by hand, with strings of its own.") with { Unit = "B" },
        Row.Slower("Get of an Invoice allocates, vs the graph alone", "invoice-get", "invoice-copy", 1, null,
            "mean of 1,000. Theirs: a copy made by hand.") with { Unit = "B" },
        Row.Slower("Get of a graph of 64 K objects allocates, vs the graph alone", "list-get", "list-copy", 1, null,
            "a linked list of 65,536 nodes. Theirs: the nodes.") with { Unit = "B" },
    ];

    public void Prepare()
    {
        for (int round = 0; round < WarmRounds; round++)
        {
            Round(new Samples());
        }

        System.Threading.Thread.Sleep(500);
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        Measure(samples, "person", Made.Person, Made.Copy);
        Measure(samples, "invoice", Made.Invoice, Made.Copy);
        Node list = Made.Nodes(ListNodes)[0];
        long start = GC.GetAllocatedBytesForCurrentThread();
        PilePointer pointer = _pile.Put(list);
        Keep(samples, "list-put", GC.GetAllocatedBytesForCurrentThread() - start, 1);
        start = GC.GetAllocatedBytesForCurrentThread();
        Node back = _pile.Get<Node>(pointer);
        Keep(samples, "list-get", GC.GetAllocatedBytesForCurrentThread() - start, 1);
        GC.KeepAlive(back);
        start = GC.GetAllocatedBytesForCurrentThread();
        var node = new Node();
        Keep(samples, "list-copy", (GC.GetAllocatedBytesForCurrentThread() - start) * ListNodes, 1);
        GC.KeepAlive(node);
        Keep(samples, "one", 1, 1);
        _pile.Clear();
    }

    public void Dispose() => _pile.Dispose();

    private void Measure<T>(Samples samples, string name, Func<int, T> make, Func<T, T> copy)
        where T : class
    {
        var values = new T[Objects];
        var pointers = new PilePointer[Objects];
        for (int index = 0; index < Objects; index++)
        {
            values[index] = make(index);
        }

        long start = GC.GetAllocatedBytesForCurrentThread();
        for (int index = 0; index < Objects; index++)
        {
            pointers[index] = _pile.Put(values[index]);
        }

        long put = GC.GetAllocatedBytesForCurrentThread();
        for (int index = 0; index < Objects; index++)
        {
            values[index] = _pile.Get<T>(pointers[index]);
        }

        long got = GC.GetAllocatedBytesForCurrentThread();
        for (int index = 0; index < Objects; index++)
        {
            values[index] = copy(values[index]);
        }

        // Names are put together only now: they are allocated too.
        long copied = GC.GetAllocatedBytesForCurrentThread();
        Keep(samples, name + "-put", put - start, Objects);
        Keep(samples, name + "-get", got - put, Objects);
        Keep(samples, name + "-copy", copied - got, Objects);
    }

    private static Row Zero(string name, string series, string definition) =>
        Row.Slower(name, series, "one", 0, null, definition + " Ratio to 1 B.") with { Unit = "B" };

    private static void Keep(Samples samples, string series, long bytes, int count) =>
        samples.Keep(series, new Spent(bytes, bytes) / count);
}
