// What makes a caller's result of a value, while its bytes are in the buffer that they came in.
// ReadOnlySpanAction has no result, and does not know that there is no entry.
using System;

namespace Pile.Client.Batching;

/// <summary>Reads a value.</summary>
/// <param name="isThere">Whether there is an entry.</param>
/// <param name="value">Its value; valid only during the call.</param>
/// <param name="state">The caller's.</param>
internal delegate TResult ItemReader<in TState, out TResult>(bool isThere, ReadOnlySpan<byte> value, TState state);
