// What a health check looks at: a pile, with what only the thing on it knows.
// A value for one look.
namespace Pile.Hosting;

/// <summary>The subject of a health check.</summary>
/// <param name="Pile">The pile.</param>
/// <param name="EvictableBytes">Of what lives in it, bytes that leave when room is needed.</param>
/// <param name="DamagedEntries">Entries that were found to be damaged.</param>
internal sealed record HealthSubject(ObjectPile Pile, long EvictableBytes, long DamagedEntries);
