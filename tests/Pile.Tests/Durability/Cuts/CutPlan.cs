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
        CountsLater = random.Next(2) == 0;
    }

    private CutPlan()
    {
    }

    /// <summary>Objects from which on more are deleted than put.</summary>
    internal int ObjectsMax { get; private init; }

    internal int BytesMax { get; private init; }

    internal int LargePercent { get; private init; }

    internal int CommitPermille { get; private init; }

    internal int BatchPercent { get; private init; }

    internal int ClearPermille { get; private init; }

    internal int CleanPercent { get; private init; }

    /// <summary>Whether some opens leave the counting to later.</summary>
    internal bool CountsLater { get; private init; }

    /// <summary>How many of the lanes are used.</summary>
    internal int Lanes { get; private init; }

    /// <summary>A life of few and short records with commits between, so that all cuts of a moment can be counted up.</summary>
    internal static CutPlan Small(Random random) => new()
    {
        ObjectsMax = 2,
        BytesMax = 16,
        CommitPermille = 400,
        BatchPercent = 30,
        ClearPermille = random.Next(2) * 60,
        Lanes = 2,
    };
}
