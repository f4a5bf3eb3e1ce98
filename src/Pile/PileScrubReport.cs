// What one round of verification beside the pile's users found. Verify looks at more, counts and the other files, and keeps the
// writers waiting for one segment at a time, and for the counts.
using System.Collections.Generic;

namespace Pile;

/// <summary>Outcome of <see cref="ObjectPileDurability.Scrub"/>.</summary>
/// <param name="Objects">Objects whose header and checksum were compared.</param>
/// <param name="Bytes">Their bytes, without headers.</param>
/// <param name="Corrupted">Those that are not what they were: reads answer Corrupted until they are updated or deleted.</param>
public sealed record PileScrubReport(long Objects, long Bytes, IReadOnlyList<PilePointer> Corrupted);
