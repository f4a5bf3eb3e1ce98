namespace Pile.Bench.Running;

/// <summary>A loop under a name of its series.</summary>
internal readonly record struct Contender(string Series, Chunk Chunk);
