namespace Pile.Bench.Running;

/// <summary>A part of a pass: operations <paramref name="first"/> to <paramref name="first"/> + <paramref name="count"/>.</summary>
/// <returns>Anything computed from what was read, so that nothing is optimised away.</returns>
internal delegate long Chunk(int first, int count);
