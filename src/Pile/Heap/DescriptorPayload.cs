// The payload of a large object's descriptor record, written straight into the log.
// It does not own the run: HeapWrites takes it before and frees it when the descriptor could not be published.
using System;
using Pile.Format;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Writes a <see cref="LargeDescriptor"/>.</summary>
internal readonly struct DescriptorPayload(LargeDescriptor run) : IPayload
{
    /// <summary>What the record says.</summary>
    internal LargeDescriptor Run => run;

    public int Bytes => LargeDescriptor.Bytes;

    public ReadOnlySpan<byte> Source => default;

    public void WriteTo(Span<byte> target) => run.Write(target);
}
