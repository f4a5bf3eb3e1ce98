using System.Collections.Generic;
using System.Globalization;

namespace Pile.Tests.Durability.Model;

/// <summary>What an exploration met.</summary>
/// <param name="States">Different states.</param>
/// <param name="Transitions">Steps tried, one for each way to answer its questions.</param>
/// <param name="Kills">Different states right after a kill.</param>
/// <param name="Cuts">Different states right after a power cut, each standing for all that the disk may hold then.</param>
/// <param name="Recoveries">Images that an open after a crash was tried on and that read differently.</param>
/// <param name="Broken">The promise that was broken; null when none was.</param>
/// <param name="Trace">The shortest way there, in words.</param>
internal sealed record Exploration(
    int States, long Transitions, int Kills, int Cuts, int Recoveries, BrokenPromiseException? Broken, IReadOnlyList<string> Trace)
{
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{States:N0} states, {Transitions:N0} transitions, {Kills:N0} kills, {Cuts:N0} power cuts, {Recoveries:N0} recoveries");
}
