// How a file of a mapped pile is opened. There is no truncating way: what a mapping covers never shrinks.
// Whether two openers may be there at once is not decided here: StoreFile.TryLock does that.
namespace Pile.Memory;

/// <summary>The ways to open a file.</summary>
internal enum FileOpening
{
    /// <summary>For reading and writing; the file must not exist.</summary>
    CreateNew,

    /// <summary>For reading and writing; the file must exist.</summary>
    OpenExisting,

    /// <summary>The same, to map it for stores: where the file system would copy each block that is stored into, the file is made anew first, in place of itself.
    /// For who alone has the file.</summary>
    ToStoreInto,

    /// <summary>For reading; the file must exist.</summary>
    ReadOnly,
}
