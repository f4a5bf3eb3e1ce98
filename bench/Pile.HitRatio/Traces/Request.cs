namespace Pile.HitRatio.Traces;

/// <summary>A request of a trace.</summary>
/// <param name="Key">The key.</param>
/// <param name="Bytes">Bytes of the value.</param>
/// <param name="Time">The time in the trace's own unit; the number of the request where it is generated.</param>
internal readonly record struct Request(ulong Key, int Bytes, long Time);
