// What a pile that is made by an import must have from its first moment on, because its pointers are those of another pile.
// In the options, so that one way makes all piles.
namespace Pile.Heap;

/// <summary>Of the pile that was exported.</summary>
/// <param name="Identity">Its identity; 0 when it was in memory.</param>
/// <param name="Tag">Its tag.</param>
/// <param name="FirstGeneration">The least generation with which it issued a slot.</param>
internal sealed record PileOrigin(ulong Identity, byte Tag, uint FirstGeneration);
