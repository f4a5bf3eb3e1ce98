using System;

namespace PackageGraph.Live;

/// <summary>A form of the graph that is rewritten and walked at the same time.</summary>
internal interface ILiveForm
{
    /// <summary>Lets two edges of a node change places. One thread calls it.</summary>
    /// <param name="random">Which node and which edges.</param>
    /// <returns>Whether the chosen node had two edges.</returns>
    bool Rewrite(Random random);

    /// <summary>Walks to everything that the root needs. One other thread calls it.</summary>
    LiveWalk Walk();
}
