// What a Put gives back in one register: the pointer, or why there is none. No pointer is as small as a status, since its generation begins at 1.
// What to say of a status to the caller is WriteFailures' business.
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>A pointer or a status.</summary>
internal readonly struct PutResult
{
    private readonly ulong _word;

    /// <summary>The result of a Put that stored its object.</summary>
    internal PutResult(ulong pointer)
    {
        Check.That(pointer > byte.MaxValue);
        _word = pointer;
    }

    /// <summary>The result of a Put that did not.</summary>
    internal PutResult(PileStatus status)
    {
        Check.That(status != PileStatus.Ok);
        _word = (ulong)status;
    }

    /// <summary>Ok, or why nothing was stored.</summary>
    internal PileStatus Status
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _word > byte.MaxValue ? PileStatus.Ok : (PileStatus)_word;
    }

    /// <summary>The pointer's 64 bits when <see cref="Status"/> is Ok, else 0.</summary>
    internal ulong Pointer
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _word > byte.MaxValue ? _word : 0;
    }
}
