namespace Pile.Tests.Memory.Simulation;

/// <summary>A file or a directory.</summary>
internal abstract class SimulatedNode;
