// The one numbering of outcomes, shared by the API and the wire, later by C. Numbers never change meaning.
// It says what happened, not to what: exceptions carry the pointer and the figures.
namespace Pile;

/// <summary>Outcome of an operation that reports instead of throwing. The numbers are stable for ever.</summary>
public enum PileStatus
{
    /// <summary>The operation did what its name says.</summary>
    Ok = 0,

    /// <summary>The pointer's object was deleted, or the pointer was never issued by this pile.</summary>
    Stale = 1,

    /// <summary>The memory limit, or the device that holds the files, leaves no room for this; nothing was changed.</summary>
    Full = 2,

    /// <summary>The object is stored in another lane, size or type than the one asked for.</summary>
    TypeMismatch = 3,

    /// <summary>The pointer carries another pile's tag, or is null.</summary>
    WrongPile = 4,

    /// <summary>The payload is larger than a record can hold.</summary>
    TooLarge = 5,

    /// <summary>Stored bytes break an invariant.</summary>
    Corrupted = 6,

    /// <summary>The pile was disposed.</summary>
    Disposed = 7,

    /// <summary>Leases or pins are still held.</summary>
    Busy = 8,

    /// <summary>An earlier write to the file failed; reads go on, unless pages of its table of objects are lost; writes do not until the pile is reopened.</summary>
    Poisoned = 9,

    /// <summary>The file's format is not one this version can use.</summary>
    Format = 10,

    /// <summary>Another process or pile has the directory open.</summary>
    Locked = 11,

    /// <summary>The destination is shorter than the payload; nothing was copied.</summary>
    DestinationTooSmall = 12,

    /// <summary>The object was changed by someone else in between.</summary>
    Conflict = 13,

    /// <summary>The object has reached its last version; it can be deleted, but not updated.</summary>
    VersionsExhausted = 14,

    /// <summary>The object holds something that can't be kept, a delegate for example; nothing was changed.</summary>
    Refused = 15,

    /// <summary>The object's type was not shown to the pile by the program.</summary>
    UnknownType = 16,

    /// <summary>The pile was opened for reading alone.</summary>
    ReadOnly = 17,
}
