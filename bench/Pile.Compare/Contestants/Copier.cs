using System;

namespace Pile.Compare.Contestants;

/// <summary>Copies what it is shown to the same memory.</summary>
internal ref struct Copier(Span<byte> target) : IPileVisitor
{
    private readonly Span<byte> _target = target;

    /// <summary>Bytes copied so far.</summary>
    internal long Bytes { get; private set; }

    /// <inheritdoc/>
    public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_target);
        Bytes += bytes.Length;
    }
}
