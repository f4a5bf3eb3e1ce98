// What is known of one object that entries share.
// A row of SharedObjects, and of the facts that a close writes.
namespace Pile.Cache.Engine;

/// <summary>State of an object.</summary>
/// <param name="Pointer">The object.</param>
/// <param name="Names">Entries that lead to it, and calls that are about to store one; 0 when it is to be deleted.</param>
/// <param name="Mark">Its mark, in files; 0 for none.</param>
/// <param name="IsOwned">Whether an entry has led to it: else it is still the program's.</param>
/// <param name="PutBy">The flush that covers the object itself.</param>
/// <param name="FreeBy">The flush that covers the ends of all entries that led to it and survive power cuts.</param>
internal readonly record struct SharedObject(ulong Pointer, int Names, ulong Mark, bool IsOwned, long PutBy, long FreeBy);
