namespace Pile.HitRatio.Contestants;

/// <summary>SIEVE (Zhang et al., NSDI 2024, algorithm 1): one queue in the order of admission, a bit for each object, and a hand that
/// walks from the oldest to the youngest, clears bits, and evicts where it finds none. The hand keeps its place; what stays is not
/// moved. In bytes: it evicts until there is room.</summary>
internal sealed class Sieve : Simulator
{
    private readonly NodeQueue _queue;
    private int _hand = NodeTable.None;

    internal Sieve(Budget budget)
        : base(budget) => _queue = new NodeQueue(Nodes);

    public override long UsedBytes => _queue.Bytes;

    protected override void OnHit(int node) => Nodes[node].Visits = 1;

    protected override void Admit(ulong key, long costBytes)
    {
        while (IsFullFor(costBytes))
        {
            Evict();
        }

        _queue.AddYoungest(Nodes.Add(key, costBytes));
    }

    private void Evict()
    {
        int node = OrOldest(_hand);
        while (Nodes[node].Visits != 0)
        {
            Nodes[node].Visits = 0;
            node = OrOldest(Nodes[node].Younger);
        }

        _hand = Nodes[node].Younger;
        Nodes.Drop(node);
    }

    private int OrOldest(int node) => node == NodeTable.None ? _queue.Oldest : node;

    internal sealed class Entry : IEntry
    {
        public string Name => "sieve";

        public int Order => 30;

        public string Source => "SIEVE, NSDI 2024, algorithm 1";

        public IContestant Make(Budget budget) => new Sieve(budget);
    }
}
