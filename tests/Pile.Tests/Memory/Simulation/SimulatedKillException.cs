using System;

namespace Pile.Tests.Memory.Simulation;

/// <summary>The process ends here, as by a kill: no call after it does anything. Not an IOException, so that nobody handles it.</summary>
internal sealed class SimulatedKillException(string call) : Exception($"killed before {call}");
