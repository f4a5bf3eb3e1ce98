namespace Pile.HitRatio.Tests;

/// <summary>A cache algorithm written for the eye: slow, without a table and without linked objects, to hold the fast one against.</summary>
internal interface INaive
{
    /// <summary>Asks for an object of a cost, and admits it when it is not there.</summary>
    bool Request(ulong key, long cost);

    /// <summary>What it holds.</summary>
    long Used { get; }
}
