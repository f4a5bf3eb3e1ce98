using System.Collections.Generic;

namespace Pile.Tests.Durability.Cuts;

/// <summary>How far a model is at one moment.</summary>
/// <param name="States">States of each of its objects.</param>
/// <param name="Roots">States of each of its roots.</param>
/// <param name="Batches">Batches since the last commit.</param>
internal sealed record CutMark(int[] States, Dictionary<string, int> Roots, int Batches);
