using Pile.Cleaning;
using Pile.Segments;

namespace Pile.Tests.Cleaning;

/// <summary>Owns no record, and does nothing: what a test's own owner does not need.</summary>
internal abstract class IdleOwner : IKeyedOwner
{
    public long TakenBytes => 0;

    public long Records => 0;

    public virtual ISlotOwner? Slots => null;

    public virtual bool CanEvict => false;

    public bool IsSearching => false;

    public bool IsHeldBack { get => false; set => _ = value; }

    public virtual RecordFate Judge(ulong recordWord, long location, Segment segment, bool isEvicting) => RecordFate.Dropped;

    public virtual void OfferEvictions(Victims victims, long roomBytes)
    {
    }

    public bool MayEvictFrom(Segment segment) => false;

    public void NoteCopied(Segment segment, long location)
    {
    }

    public void Settle()
    {
    }

    public bool TryExpire() => false;

    public bool TryEvictLarge(long bytes, bool onlyLowest) => false;

    public bool Tick() => true;

    public void ForgetAll()
    {
    }

    public void Close()
    {
    }

    public void Unmap()
    {
    }

    public void Prefetch(ulong recordWord, long location)
    {
    }

    public bool TryFind(ulong recordWord, long location, out ulong reference)
    {
        reference = 0;
        return false;
    }

    public bool TryMove(ulong recordWord, ulong reference, long target) => false;
}
