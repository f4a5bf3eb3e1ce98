// What a salvage brought into its new directory, and what it could not.
// Counts of objects are the new pile's own.
using System.Collections.Generic;

namespace Pile;

/// <summary>Outcome of <see cref="PileSalvage.Run"/>.</summary>
/// <param name="Opened">How the damaged pile was read.</param>
/// <param name="Copied">What was copied. It is durable.</param>
/// <param name="Dropped">What was damaged and is not in the new pile, with what that means. Empty when nothing was.</param>
public sealed record PileSalvageReport(PileRecoveryReport Opened, PileCopyReport Copied, IReadOnlyList<PileDamageReport> Dropped);
