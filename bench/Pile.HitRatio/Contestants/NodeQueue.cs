namespace Pile.HitRatio.Contestants;

/// <summary>A queue of objects by age: the papers' head is the youngest, their tail the oldest. It counts its bytes.</summary>
internal sealed class NodeQueue(NodeTable nodes)
{
    internal int Oldest { get; private set; } = NodeTable.None;

    internal int Youngest { get; private set; } = NodeTable.None;

    internal long Bytes { get; private set; }

    internal bool IsEmpty => Oldest == NodeTable.None;

    /// <summary>Puts an object that is in no queue at the young end.</summary>
    internal void AddYoungest(int node)
    {
        ref Node added = ref nodes[node];
        added.Queue = this;
        added.Older = Youngest;
        added.Younger = NodeTable.None;
        if (Youngest == NodeTable.None)
        {
            Oldest = node;
        }
        else
        {
            nodes[Youngest].Younger = node;
        }

        Youngest = node;
        Bytes += added.CostBytes;
    }

    /// <summary>Takes an object of this queue out of it.</summary>
    internal void Remove(int node)
    {
        ref Node removed = ref nodes[node];
        if (removed.Older == NodeTable.None)
        {
            Oldest = removed.Younger;
        }
        else
        {
            nodes[removed.Older].Younger = removed.Younger;
        }

        if (removed.Younger == NodeTable.None)
        {
            Youngest = removed.Older;
        }
        else
        {
            nodes[removed.Younger].Older = removed.Older;
        }

        removed.Queue = null;
        Bytes -= removed.CostBytes;
    }

    /// <summary>Moves an object from the queue that it is in to the young end of this one.</summary>
    internal void Take(int node)
    {
        nodes[node].Queue!.Remove(node);
        AddYoungest(node);
    }
}
