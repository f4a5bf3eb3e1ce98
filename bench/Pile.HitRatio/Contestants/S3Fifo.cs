namespace Pile.HitRatio.Contestants;

/// <summary>S3-FIFO (Yang et al., SOSP 2023, algorithm 1): a small queue of a tenth of the cache, a main queue of the rest, and a queue
/// of ghosts. A hit counts a visit, up to 3. The oldest of the small queue goes to main when visited more than once, its visits
/// cleared, else it leaves a ghost; what is asked for as a ghost comes into main at once. The oldest of main stays, as the youngest,
/// for one visit less, or goes. In bytes: ghosts count what their objects would take, up to the main queue's share, which with
/// objects of one size is as many as main has; room is made until there is enough. Beyond the paper: with nothing in main, the small
/// queue gives room even below its share.</summary>
internal sealed class S3Fifo : Simulator
{
    private const int SmallPercent = 10;
    private const int MainPercent = 100 - SmallPercent;
    private const int VisitsMax = 3;
    private const int VisitsToMain = 2;
    private readonly NodeQueue _small;
    private readonly NodeQueue _main;
    private readonly NodeQueue _ghosts;

    internal S3Fifo(Budget budget)
        : base(budget)
    {
        _small = new NodeQueue(Nodes);
        _main = new NodeQueue(Nodes);
        _ghosts = new NodeQueue(Nodes);
    }

    public override long UsedBytes => _small.Bytes + _main.Bytes;

    protected override bool IsGhost(int node) => Nodes[node].Queue == _ghosts;

    protected override void OnHit(int node)
    {
        if (Nodes[node].Visits < VisitsMax)
        {
            Nodes[node].Visits++;
        }
    }

    protected override void Admit(ulong key, long costBytes)
    {
        while (IsFullFor(costBytes))
        {
            Evict();
        }

        // Only now, as the paper has it: making room may have pushed its ghost out.
        NodeQueue into = _small;
        if (Nodes.Find(key) is var ghost && ghost != NodeTable.None)
        {
            Nodes.Drop(ghost);
            into = _main;
        }

        into.AddYoungest(Nodes.Add(key, costBytes));
    }

    private void Evict()
    {
        if (_main.IsEmpty || (!_small.IsEmpty && _small.Bytes * 100 >= Budget.CacheBytes * SmallPercent))
        {
            EvictFromSmall();
        }
        else
        {
            EvictFromMain();
        }
    }

    private void EvictFromSmall()
    {
        while (!_small.IsEmpty)
        {
            int node = _small.Oldest;
            if (Nodes[node].Visits < VisitsToMain)
            {
                _ghosts.Take(node);
                while (IsOverMain(_ghosts))
                {
                    Nodes.Drop(_ghosts.Oldest);
                }

                return;
            }

            Nodes[node].Visits = 0;
            _main.Take(node);
            while (IsOverMain(_main))
            {
                EvictFromMain();
            }
        }
    }

    private void EvictFromMain()
    {
        while (!_main.IsEmpty)
        {
            int node = _main.Oldest;
            if (Nodes[node].Visits == 0)
            {
                Nodes.Drop(node);
                return;
            }

            Nodes[node].Visits--;
            _main.Take(node);
        }
    }

    private bool IsOverMain(NodeQueue queue) => queue.Bytes * 100 > Budget.CacheBytes * MainPercent;

    internal sealed class Entry : IEntry
    {
        public string Name => Entries.S3Fifo;

        public int Order => 10;

        public string Source => "S3-FIFO, SOSP 2023, algorithm 1; small queue 10 %, ghosts of the main queue's share";

        public IContestant Make(Budget budget) => new S3Fifo(budget);
    }
}
