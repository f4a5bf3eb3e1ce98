// A large value on its way to becoming an object that a durable entry owns: its bytes are stored, or staged where they are few, and
// the batch that stores the entry makes them an object.
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>A value of its own; default for none.</summary>
/// <param name="ValueBytes">Bytes of the value.</param>
/// <param name="Run">The pages that it was written to; default when it is staged.</param>
/// <param name="Staged">The payload of the object, when it is too small for pages of its own.</param>
internal readonly record struct SlotValue(int ValueBytes, LargeDescriptor Run, byte[]? Staged)
{
    /// <summary>Whether there is one.</summary>
    internal bool IsThere => Run.PayloadBytes > 0 || Staged is not null;

    /// <summary>Bytes of the object's payload.</summary>
    internal int PayloadBytes => Staged?.Length ?? Run.PayloadBytes;
}
