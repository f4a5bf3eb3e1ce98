namespace Pile.HitRatio.Contestants;

/// <summary>2Q, the full version (Johnson and Shasha, VLDB 1994): what is new goes through a queue (A1in); what leaves it is remembered
/// (A1out); only what is asked for while it is remembered comes into the part kept by recency (Am). A hit in A1in changes nothing.
/// In bytes: Kin is a quarter of the cache, Kout counts what the remembered objects would take, up to half the cache, and room is
/// made until there is enough. Beyond the paper: with nothing in Am, A1in gives room even below Kin.</summary>
internal sealed class TwoQueues : Simulator
{
    private const int InPercent = 25;
    private const int OutPercent = 50;
    private readonly NodeQueue _in;
    private readonly NodeQueue _out;
    private readonly NodeQueue _main;

    internal TwoQueues(Budget budget)
        : base(budget)
    {
        _in = new NodeQueue(Nodes);
        _out = new NodeQueue(Nodes);
        _main = new NodeQueue(Nodes);
    }

    public override long UsedBytes => _in.Bytes + _main.Bytes;

    protected override bool IsGhost(int node) => Nodes[node].Queue == _out;

    protected override void OnHit(int node)
    {
        if (Nodes[node].Queue == _main)
        {
            _main.Take(node);
        }
    }

    protected override void Admit(ulong key, long costBytes)
    {
        bool isRemembered = Nodes.Find(key) != NodeTable.None;
        while (IsFullFor(costBytes))
        {
            Reclaim();
        }

        // Making room may have pushed the memory of it out.
        if (Nodes.Find(key) is var ghost && ghost != NodeTable.None)
        {
            Nodes.Drop(ghost);
        }

        (isRemembered ? _main : _in).AddYoungest(Nodes.Add(key, costBytes));
    }

    private void Reclaim()
    {
        if (!IsOver(_in, InPercent) && !_main.IsEmpty)
        {
            Nodes.Drop(_main.Oldest);
            return;
        }

        _out.Take(_in.Oldest);
        while (IsOver(_out, OutPercent))
        {
            Nodes.Drop(_out.Oldest);
        }
    }

    private bool IsOver(NodeQueue queue, int percent) => queue.Bytes * 100 > Budget.CacheBytes * percent;

    internal sealed class Entry : IEntry
    {
        public string Name => Entries.TwoQueues;

        public int Order => 40;

        public string Source => "2Q, full version, VLDB 1994; Kin 25 %, Kout 50 %";

        public IContestant Make(Budget budget) => new TwoQueues(budget);
    }
}
