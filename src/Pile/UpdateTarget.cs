// A payload target that replaces an object, optionally only while a given entry stands.
// It carries the size for the message of a refusal.
using Pile.Format;
using Pile.Heap;
using Pile.Segments;

namespace Pile;

/// <summary>Updates.</summary>
internal struct UpdateTarget(ObjectPile pile, PilePointer pointer, SeenEntry expected) : IPayloadTarget
{
    /// <summary>Bytes of the payload.</summary>
    internal int Bytes { get; private set; }

    public PileStatus Accept<TPayload>(RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        Bytes = payload.Bytes;
        ObjectPile.CheckSize(Bytes);
        return pile.Writes.TryUpdate(pointer.Word, code, payload, expected);
    }
}
