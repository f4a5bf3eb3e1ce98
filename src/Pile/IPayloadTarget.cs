// Where a typed value's payload goes once its lane is known: a new object, or an existing one.
// It lets one function choose the lane for Put and Update alike; it is a struct, so that the choice costs no call.
using Pile.Format;
using Pile.Segments;

namespace Pile;

/// <summary>Receiver of one payload.</summary>
internal interface IPayloadTarget
{
    /// <summary>Whether what it takes is stored, or may be: then the schemas of its types are kept before.</summary>
    static virtual bool Stores => true;

    /// <summary>Takes the payload.</summary>
    PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
        where TPayload : struct, IPayload, allows ref struct;
}
