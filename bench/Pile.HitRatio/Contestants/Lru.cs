namespace Pile.HitRatio.Contestants;

/// <summary>Least recently used: what was asked for longest ago goes first.</summary>
internal sealed class Lru : Simulator
{
    private readonly NodeQueue _queue;

    internal Lru(Budget budget)
        : base(budget) => _queue = new NodeQueue(Nodes);

    public override long UsedBytes => _queue.Bytes;

    protected override void OnHit(int node) => _queue.Take(node);

    protected override void Admit(ulong key, long costBytes)
    {
        while (IsFullFor(costBytes))
        {
            Nodes.Drop(_queue.Oldest);
        }

        _queue.AddYoungest(Nodes.Add(key, costBytes));
    }

    internal sealed class Entry : IEntry
    {
        public string Name => Entries.Lru;

        public int Order => 20;

        public string Source => "least recently used";

        public IContestant Make(Budget budget) => new Lru(budget);
    }
}
