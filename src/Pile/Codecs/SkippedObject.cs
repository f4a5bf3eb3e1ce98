// An object that was gone over, because today's type has no place for it: what is needed to read it after all when a
// reference wants it.
namespace Pile.Codecs;

/// <summary>An object not read.</summary>
/// <param name="Version">The version of its type, or null when it tells its type itself.</param>
/// <param name="HasTag">Whether the type's number stands in its array.</param>
/// <param name="Deferred">Its body to come, when it is a FWD.</param>
internal sealed record SkippedObject(TypeVersion? Version, bool HasTag, Deferred? Deferred);
