// A payload target that stores a new object.
// It carries the pointer, and the size for the message of a refusal.
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile;

/// <summary>Puts.</summary>
internal struct PutTarget(ObjectPile pile) : IPayloadTarget
{
    /// <summary>The new object, when Ok.</summary>
    internal PilePointer Pointer { get; private set; }

    /// <summary>Bytes of the payload.</summary>
    internal int Bytes { get; private set; }

    public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        Bytes = payload.Bytes;
        Check.PayloadBytes(Bytes);
        PileStatus status = pile.Writes.TryPut(code, payload, out ulong pointer);
        Pointer = new PilePointer(pointer);
        return status;
    }
}
