// Why a call found no room. The caller gives back its writer and pin, lets RoomMaker see to it, and starts again.
// Found and Closed need nothing from RoomMaker; they share the enum so that a call has one result.
namespace Pile.Segments;

/// <summary>What was missing.</summary>
internal enum Room
{
    /// <summary>Nothing: the call did its work.</summary>
    Found,

    /// <summary>The pile was disposed.</summary>
    Closed,

    /// <summary>A segment for the writer.</summary>
    Segment,

    /// <summary>Bytes of the budget for more slots.</summary>
    Slots,

    /// <summary>Pages for a large object, which cleaning does not give.</summary>
    Large,

    /// <summary>Bytes of the budget for anything else, such as buckets of an index.</summary>
    Budget,
}
