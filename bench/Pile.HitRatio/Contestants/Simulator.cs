namespace Pile.HitRatio.Contestants;

/// <summary>What the simulated algorithms have in common, so that they count alike: an object costs what the budget says, and one that
/// is larger than the whole cache is passed by without a trace.</summary>
internal abstract class Simulator(Budget budget) : IContestant
{
    protected Budget Budget { get; } = budget;

    protected NodeTable Nodes { get; } = new();

    public abstract long UsedBytes { get; }

    public bool Request(ulong key, int bytes, long time)
    {
        int node = Nodes.Find(key);
        if (node != NodeTable.None && !IsGhost(node))
        {
            OnHit(node);
            return true;
        }

        long costBytes = Budget.CostOf(bytes);
        if (costBytes <= Budget.CacheBytes)
        {
            Admit(key, costBytes);
        }

        return false;
    }

    public void Dispose()
    {
    }

    /// <summary>Whether it is only remembered that the object was there.</summary>
    protected virtual bool IsGhost(int node) => false;

    /// <summary>An object is asked for and is there.</summary>
    protected abstract void OnHit(int node);

    /// <summary>Makes room for an object that is not there and puts it in.</summary>
    protected abstract void Admit(ulong key, long costBytes);

    /// <summary>Whether something must go before so much can come in.</summary>
    protected bool IsFullFor(long costBytes) => UsedBytes + costBytes > Budget.CacheBytes;
}
