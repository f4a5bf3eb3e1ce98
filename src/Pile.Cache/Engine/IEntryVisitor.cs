// What a batch shows each entry to, with its lane, so that one walk serves spans and typed values.
// Public visitors see bytes alone: IPileVisitor.
using System;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Receives the entries of a batch.</summary>
internal interface IEntryVisitor
{
    /// <summary>Called once per key, in order, inside the epoch.</summary>
    /// <param name="index">Index of the key in the batch.</param>
    /// <param name="isThere">Whether it has an entry that has not ended.</param>
    /// <param name="lane">The value's lane.</param>
    /// <param name="bytes">Its stored bytes; valid only during the call.</param>
    void Visit(int index, bool isThere, RecordCode lane, ReadOnlySpan<byte> bytes);
}
