// What LeaseMany calls for each pointer of a batch.
// It runs under the batch's lease on the calling thread, so what it is shown must be copied to be kept.
using System;

namespace Pile;

/// <summary>Receives the objects of a batch, one by one, without a copy.</summary>
public interface IPileVisitor
{
    /// <summary>Called once per pointer, in order.</summary>
    /// <param name="index">Index of the pointer in the batch.</param>
    /// <param name="status">Ok, Stale, WrongPile or Corrupted (of a pile in files: the bytes are damaged).</param>
    /// <param name="bytes">The stored bytes when Ok, else empty. Valid only during the call. Those of a text are Latin-1 where
    /// all chars are at most U+00FF, else UTF-16.</param>
    void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes);
}
