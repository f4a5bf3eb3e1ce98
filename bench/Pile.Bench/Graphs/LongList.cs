using System;
using System.Collections.Generic;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>A linked list of a million nodes on a small stack, against System.Text.Json's flat list of the same nodes.</summary>
internal sealed class LongList : IWorkload
{
    private const int StackBytes = 128 << 10;
    private const int WarmNodes = 20_000;
    private const int TurnsOfARound = 1;
    private readonly int _nodes;
    private readonly SmallStack _stack = new(StackBytes);
    private readonly BareCodec _codec = new();
    private readonly JsonText<List<Node>> _json = new(GraphJson.Default.ListNode);
    private List<Node> _fresh = [];
    private byte[] _stored = [];
    private byte[] _text = [];

    internal LongList(BenchSettings settings) => _nodes = settings.Quick ? WarmNodes : 1_000_000;

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Faster("linked list of 1 M nodes: write vs flat JSON", "write", "json-write", 1, 2,
            "fresh nodes, on one thread with a stack of 128 KB, warmed up. Theirs: List<Node> of the same nodes without their links, on the same stack. Per node."),
        Row.Faster("linked list of 1 M nodes: read vs flat JSON", "read", "json-read", 3, 6,
            "on the same thread, each from a collected heap. Theirs: as above."),
        Row.Faster("linked list of 1 M nodes: read vs flat JSON, without the collector's pauses", FreshPasses.Unpaused("read"), FreshPasses.Unpaused("json-read"), null, null,
            "the same without what GC.GetTotalPauseDuration says on either side."),
        Row.Faster("linked list of 1 M nodes: making the nodes by hand vs reading flat JSON", "make", "json-read", null, null,
            "new nodes, linked, and nothing read: where a reader could come at best."),
        Row.Slower("linked list of 1 M nodes: read vs making the nodes by hand", "read", "make", null, null,
            "Theirs: new nodes, linked: what the runtime and its collector take for them alone."),
    ];

    public void Prepare() => _stack.Run(() =>
    {
        Fill(WarmNodes);
        Store();
        FreshPasses.Warm(Contenders(WarmNodes));
        Fill(_nodes);
        Store();
    });

    public void Round(Samples samples) =>
        _stack.Run(() => FreshPasses.Interleave(samples, Contenders(_nodes), TurnsOfARound));

    public void Dispose()
    {
        _stack.Dispose();
        _codec.Dispose();
        _json.Dispose();
    }

    private FreshContender[] Contenders(int nodes) =>
    [
        new("write", nodes, () => Fill(nodes), () => _codec.Write(_fresh[0])),
        new("json-write", nodes, () => Fill(nodes), () => _json.Write(_fresh)),
        new("read", nodes, Drop, () => _codec.Read<Node>(_stored).Value),
        new("json-read", nodes, Drop, () => _json.Read(_text).Count),
        new("make", nodes, Drop, () => Made.Chain(nodes).Value),
    ];

    private void Fill(int nodes) => _fresh = Made.Nodes(nodes);

    /// <summary>Lets go of what was written and collects it: a reader pays for the collections that its own nodes bring about, and not for what
    /// others left.</summary>
    private void Drop()
    {
        _fresh = [];
        GC.Collect();
    }

    private void Store() => (_stored, _text) = (_codec.ToArray(_fresh[0]), _json.ToArray(_fresh));
}
