// What is said when the program's own code for a key fails while a collection is filled: its hash code, equality or order may need
// what is not there at that time. The bytes are not damaged.
using System;
using System.Linq;

namespace Pile.Codecs;

/// <summary>Exceptions of keys.</summary>
internal static class KeyFailure
{
    /// <summary>Whether an exception is the program's own, and not the pile's, nor one that any code may meet.</summary>
    internal static bool IsOne(Exception failure) => failure is not (PileException or OutOfMemoryException or InsufficientExecutionStackException);

    /// <summary>A frozen collection that would have lost items, or does not find them.</summary>
    internal static PileTypeMismatchException OfLost(Type collection) => new(
        $"A {TypeName.Display(collection)} can't be filled: the hash code or the equality of a key is another now than when it was made. " +
        "It is made before what leads from a key back to it, or was put off, is complete. Let these need no more than the key's own values, or keep a HashSet or a Dictionary.");

    /// <summary>A comparer that was stored and is none of today's collection: of a set that became a sorted one, or of a class that compares something else.</summary>
    internal static PileTypeMismatchException OfComparers(Type collection, Type today, object?[] comparers) => new(
        $"A {TypeName.Display(collection)} can't be filled: it was stored with {string.Join(" and ", comparers.Where(static comparer => comparer is not null).Select(static comparer => TypeName.Display(comparer!.GetType())))} for its comparer, which {TypeName.Display(today)} can't use today. Describe and ToJson read it.");

    internal static PileTypeMismatchException Of(Type collection, Exception failure, bool isFrozen = false)
    {
        Exception cause = failure is InvalidOperationException { InnerException: { } inner } ? inner : failure;
        string elsewhere = isFrozen ? "keep a HashSet or a Dictionary" : "keep a list";
        return new PileTypeMismatchException(
            $"A {TypeName.Display(collection)} can't be filled: the hash code, the equality or the order of a key threw {TypeName.Display(cause.GetType())}: {cause.Message} " +
            $"What leads from a key back to its collection, or to what is still being read, is not complete by then. Let these need no more than the key's own values, or {elsewhere}.",
            inner: cause);
    }
}
