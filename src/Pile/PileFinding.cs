// One broken invariant, named, with what was expected and what was found.
// It is text for people and tests; nothing in the pile acts on it.
namespace Pile;

/// <summary>A finding of <see cref="ObjectPileCare.Verify(ObjectPile)"/>.</summary>
/// <param name="Damage">Which invariant is broken.</param>
/// <param name="Where">Where: a slot, a segment and offset, or a counter.</param>
/// <param name="Expected">What should be.</param>
/// <param name="Actual">What is.</param>
public sealed record PileFinding(PileDamage Damage, string Where, string Expected, string Actual);
