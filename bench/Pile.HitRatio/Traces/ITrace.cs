namespace Pile.HitRatio.Traces;

/// <summary>Requests in an order that is the same each time it is read.</summary>
internal interface ITrace
{
    /// <summary>Its name in the tables.</summary>
    string Name { get; }

    /// <summary>What it is made of.</summary>
    string Definition { get; }

    /// <summary>Begins at its first request.</summary>
    ITraceReader Open();
}
