using System;

namespace Pile.HitRatio.Traces;

/// <summary>Reads a trace once, some requests at a time: no trace is held in memory.</summary>
internal interface ITraceReader : IDisposable
{
    /// <summary>Reads the next requests.</summary>
    /// <returns>How many: at most as many as fit, 0 at the end.</returns>
    int Read(Span<Request> requests);
}
