// Where a typed value's payload goes once its lane is known: a new object, or an existing one.
using Pile.Format;
using Pile.Segments;

namespace Pile;

/// <summary>Receiver of one payload.</summary>
internal interface IPayloadTarget
{
    /// <summary>Takes the payload.</summary>
    PileStatus Accept<TPayload>(RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct;
}
