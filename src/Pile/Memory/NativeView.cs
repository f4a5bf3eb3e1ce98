// Spans and memory over pinned native bytes, for holders that keep the bytes alive by a pin.
// It keeps nothing alive and checks no pin: PilePin does both before it hands one of these out.
using System;
using System.Buffers;

namespace Pile.Memory;

/// <summary>Memory over native bytes. The creator's pin guarantees that they stay.</summary>
// SAFETY: address and length are those of a pinned record or run; PilePin hands out spans only while its pin is held and
// documents that they end with it.
internal sealed unsafe class NativeView(nint address, int bytes) : MemoryManager<byte>
{
    /// <summary>A span over native bytes.</summary>
    internal static Span<byte> Span(nint address, int bytes) => new((void*)address, bytes); // SAFETY: see the type.

    /// <inheritdoc/>
    public override Span<byte> GetSpan() => Span(address, bytes);

    /// <inheritdoc/>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        // SAFETY: native memory never moves; the index is checked.
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
}
