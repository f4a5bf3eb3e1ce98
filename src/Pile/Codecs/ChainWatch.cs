// Whether a path of objects comes back to one that it went through: a linked list that ends in a ring.
// An object is kept as a mark and compared with each one that follows, until twice as many went by; then the next is the mark.
// A ring is noticed before the path is three times as long as its objects are many; one that ends costs a comparison each.
// Source: Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980.
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>Watches the objects of a path, from the default value on.</summary>
internal struct ChainWatch
{
    private object? _mark;
    private int _span;
    private int _passed;

    /// <summary>Goes by the next object; true when it is the mark.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Meets(object next)
    {
        if (ReferenceEquals(next, _mark))
        {
            return true;
        }

        if (_passed++ == _span)
        {
            (_mark, _span, _passed) = (next, (_span * 2) + 1, 0);
        }

        return false;
    }
}
