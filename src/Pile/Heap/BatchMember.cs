// One object of a batch, staged until the batch is committed: what becomes of which slot.
// Its payload lies in the batch's staging buffer, so that a member is a few words.
using Pile.Format;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>A member of a batch.</summary>
internal struct BatchMember
{
    /// <summary>The object.</summary>
    internal ulong Pointer;

    /// <summary>Where the slot of an object to put was taken before the commit: how often the pile had been cleared then, and one. Else 0.</summary>
    internal int Clears;

    /// <summary>What is done with it.</summary>
    internal BatchAction Action;

    /// <summary>Lane of the payload, as a reader sees it.</summary>
    internal RecordCode Code;

    /// <summary>Where the payload begins in the staging buffer.</summary>
    internal int Offset;

    /// <summary>Bytes of the payload.</summary>
    internal int Bytes;

    /// <summary>The run of a large payload, once it is taken.</summary>
    internal LargeDescriptor Run;

    /// <summary>Where the member's record stands, once the frame is appended.</summary>
    internal long Location;

    /// <summary>The entry that was found, and then the one that was replaced.</summary>
    internal ulong Entry;

    /// <summary>Whether it is done, whatever came after that.</summary>
    internal bool IsSwung;

    /// <summary>Bytes of the payload of its record: none of a deletion's, and those of the run of a large one, once that is taken.</summary>
    internal readonly int StoredBytes => Action == BatchAction.Delete ? 0 : Run.PayloadBytes > 0 ? LargeDescriptor.Bytes : Bytes;

    /// <summary>Bytes of its record; 0 where it has none.</summary>
    internal readonly int RecordBytes => Action == BatchAction.None ? 0 : SegmentWriter<DurableRecord>.RecordBytes(StoredBytes);
}
