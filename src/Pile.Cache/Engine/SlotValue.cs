// A large value on its way to becoming an object that a durable entry owns: its bytes are stored, or staged where they are few, and
// the batch that stores the entry makes them an object. Or an object that is there, which the entry shares, with the mark that it may need.
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>A value of its own; default for none.</summary>
/// <param name="ValueBytes">Bytes of the value.</param>
/// <param name="Run">The pages that it was written to; default when it is staged.</param>
/// <param name="Staged">The payload of the object, when it is too small for pages of its own.</param>
/// <param name="Target">The object that the entry leads to, where it is there already, and what comes is its mark, or nothing; else 0.</param>
internal readonly record struct SlotValue(int ValueBytes, LargeDescriptor Run, byte[]? Staged, ulong Target = 0)
{
    /// <summary>Whether an object comes with the entry.</summary>
    internal bool IsThere => Run.PayloadBytes > 0 || Staged is not null;

    /// <summary>Bytes of the object's payload.</summary>
    internal int PayloadBytes => Staged?.Length ?? Run.PayloadBytes;
}
