namespace Pile.Tests.Durability.Cuts;

/// <summary>How the content of an object is stored.</summary>
internal enum CutLane
{
    /// <summary>Bytes, of any size.</summary>
    Bytes,

    /// <summary>A string.</summary>
    Text,

    /// <summary>A graph, which needs a schema.</summary>
    Graph,
}
