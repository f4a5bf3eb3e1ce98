using System;

namespace Pile.Tests.Durability.Cuts;

/// <summary>What a run is like: drawn from its seed, so that runs differ in more than their order.</summary>
internal sealed class CutPlan
{
    internal CutPlan(Random random)
    {
        ObjectsMax = 1 << random.Next(2, 9);
        BytesMax = 1 << random.Next(5, 14);
        LargePercent = random.Next(3) == 0 ? 6 : 0;
        CommitPermille = 1 << random.Next(3, 9);
        BatchPercent = random.Next(15);
        ClearPermille = random.Next(3) == 0 ? 6 : 0;
        CleanPercent = random.Next(2) == 0 ? 3 : 0;
        Lanes = random.Next(1, 4);
    }

    /// <summary>Objects from which on more are deleted than put.</summary>
    internal int ObjectsMax { get; }

    internal int BytesMax { get; }

    internal int LargePercent { get; }

    internal int CommitPermille { get; }

    internal int BatchPercent { get; }

    internal int ClearPermille { get; }

    internal int CleanPercent { get; }

    /// <summary>How many of the lanes are used.</summary>
    internal int Lanes { get; }
}
