namespace PackageGraph.Live;

/// <summary>What a walk met: how many nodes, a sum that only these nodes have, and how many of them were torn.</summary>
internal readonly record struct LiveWalk(int Nodes, long Sum, int Torn);
