// What a write of a durable entry in files saw before it took any lock: whose stripes it must hold. It looks again once it holds them.
// Stripes come before writers, and a chain's lock after them (DESIGN.md section 5).
using Pile.Format;
using Pile.Heap;

namespace Pile.Cache.Engine;

/// <summary>An entry in a slot; default for none.</summary>
/// <param name="Pointer">The entry's object.</param>
/// <param name="Linked">The object of its value, where that stands elsewhere and is the entry's alone; or 0.</param>
internal readonly record struct SlotSeen(ulong Pointer, ulong Linked)
{
    /// <summary>Takes the stripes of both, in rising order.</summary>
    internal void Enter(SlotStripes stripes)
    {
        (int first, int second) = Stripes;
        if (first >= 0)
        {
            stripes.EnterStripe(first);
        }

        if (second > first)
        {
            stripes.EnterStripe(second);
        }
    }

    /// <summary>Gives them back.</summary>
    internal void Exit(SlotStripes stripes)
    {
        (int first, int second) = Stripes;
        if (second > first)
        {
            stripes.ExitStripe(second);
        }

        if (first >= 0)
        {
            stripes.ExitStripe(first);
        }
    }

    private (int First, int Second) Stripes
    {
        get
        {
            int entry = Pointer == 0 ? -1 : SlotStripes.StripeOf(PointerWord.Slot(Pointer));
            int value = Linked == 0 ? entry : SlotStripes.StripeOf(PointerWord.Slot(Linked));
            return (int.Min(entry, value), int.Max(entry, value));
        }
    }
}
