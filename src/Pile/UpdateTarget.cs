// A payload target that replaces an object, optionally only while a given entry stands.
// It carries the size for the message of a refusal.
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Segments;

namespace Pile;

/// <summary>Updates.</summary>
internal struct UpdateTarget(ObjectPile pile, PilePointer pointer) : IPayloadTarget
{
    private RoomAttempt _attempt;

    /// <summary>What must still stand, or default for anything; set anew before each attempt.</summary>
    internal SeenEntry Expected { get; set; }

    /// <summary>Bytes of the payload.</summary>
    internal int Bytes { get; private set; }

    public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        Bytes = payload.Bytes;
        Check.PayloadBytes(Bytes);
        return pile.Writes.TryUpdate(pointer.Word, code, payload, Expected, ref _attempt);
    }
}
