// What a near cache holds and has done, all its tables together.
// Figures of slightly different moments while others are at work.
using System;

namespace Pile.Client;

/// <summary>Figures of a near cache.</summary>
/// <param name="Entries">Entries that are kept.</param>
/// <param name="UsedBytes">Bytes that they take, outside the GC heap.</param>
/// <param name="Hits">Reads that were answered here.</param>
/// <param name="Misses">Reads that asked the server.</param>
/// <param name="Invalidations">Changes that were told by the server or made through the near cache; a clearing counts as one.</param>
/// <param name="Losses">How often everything was dropped because changes were lost.</param>
/// <param name="Interruptions">How often a watch was interrupted.</param>
/// <param name="Staleness">How old an answer of the table that is worst off can be; null while one of them does not serve.</param>
public readonly record struct PileNearFigures(long Entries, long UsedBytes, long Hits, long Misses, long Invalidations, long Losses, long Interruptions, TimeSpan? Staleness);
