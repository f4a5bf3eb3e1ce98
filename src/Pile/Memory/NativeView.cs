// Spans and memory over bytes that do not move, for holders that keep them alive: a pin, or the time of a call.
// It keeps nothing alive by itself. Once ended, whoever kept the memory is told so, and reads nothing.
using System;
using System.Buffers;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Memory over bytes that stay where they are until it is ended.</summary>
/// <param name="address">The first byte.</param>
/// <param name="bytes">How many there are.</param>
/// <param name="owner">What ends it, in words, for who asks afterwards.</param>
// SAFETY: address and length are those of a pinned record or run, or of a span that a call holds; PilePin and Lend end the view
// before they let go of the bytes, and document that spans end with them.
internal sealed unsafe class NativeView(nint address, int bytes, string owner) : MemoryManager<byte>
{
    private volatile bool _isEnded;

    /// <summary>Shows bytes as memory for the time of a call.</summary>
    internal static TResult Lend<TReader, TResult>(ReadOnlySpan<byte> bytes, string owner, TReader reader, Func<TReader, ReadOnlyMemory<byte>, TResult> read)
    {
        // SAFETY: managed bytes are kept in place by fixed, native ones by the caller, who has the span.
        fixed (byte* address = bytes)
        {
            var view = new NativeView((nint)address, bytes.Length, owner);
            try
            {
                return read(reader, view.Memory);
            }
            finally
            {
                view.End();
            }
        }
    }

    /// <summary>From now on the memory shows nothing.</summary>
    internal void End() => _isEnded = true;

    /// <summary>A span over native bytes.</summary>
    internal static Span<byte> Span(nint address, int bytes) => new((void*)address, bytes); // SAFETY: see the type.

    /// <inheritdoc/>
    public override Span<byte> GetSpan()
    {
        ThrowIfEnded();
        return Span(address, bytes);
    }

    /// <inheritdoc/>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        // SAFETY: the bytes do not move before the end; the index is checked.
        ThrowIfEnded();
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)bytes, nameof(elementIndex));
        return new MemoryHandle((byte*)address + elementIndex);
    }

    /// <inheritdoc/>
    public override void Unpin()
    {
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
    }

    private void ThrowIfEnded()
    {
        if (_isEnded)
        {
            Throw.MemoryEnded(owner);
        }
    }
}
