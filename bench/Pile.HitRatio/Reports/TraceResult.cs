namespace Pile.HitRatio.Reports;

/// <summary>A trace as it was run.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Definition">What it is made of.</param>
/// <param name="Requests">Its requests.</param>
/// <param name="Keys">Different keys in it.</param>
/// <param name="Bytes">Bytes of their objects, with keys and charges.</param>
internal sealed record TraceResult(string Name, string Definition, long Requests, long Keys, long Bytes);
