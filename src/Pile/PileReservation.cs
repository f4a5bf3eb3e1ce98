// Room for an object of known length, filled in place by the caller and stored by Commit.
// It is staged outside the log: no writer is held while the caller fills it, and what is never committed never was.
using System;
using Pile.Primitives;

namespace Pile;

/// <summary>A buffer of exactly the reserved length that becomes one object of the bytes lane. Stack-only.</summary>
/// <remarks>From <see cref="ObjectPile.Reserve"/>; dispose it, committed or not.</remarks>
public readonly ref struct PileReservation : IDisposable
{
    private readonly PileBufferWriter? _writer;
    private readonly long _session;
    private readonly Span<byte> _span;

    internal PileReservation(PileBufferWriter writer, int payloadBytes)
    {
        _writer = writer;
        _session = writer.Session;
        // Zero: a writer's fresh buffer is.
        _span = payloadBytes == 0 ? default : writer.GetSpan(payloadBytes)[..payloadBytes];
        writer.Advance(payloadBytes);
    }

    /// <summary>The bytes to fill, zero at first.</summary>
    public Span<byte> Span => _span;

    /// <summary>Stores the bytes.</summary>
    /// <returns>The pointer to the object.</returns>
    /// <exception cref="PileFullException">The limit leaves no room; the reservation may be committed again later.</exception>
    /// <exception cref="InvalidOperationException">It was committed or disposed, by this copy or another.</exception>
    public PilePointer Commit()
    {
        if (_writer is null || _writer.Session != _session)
        {
            Throw.Spent(nameof(PileReservation));
        }

        return _writer!.Commit();
    }

    /// <summary>Gives the buffer back. A second call, on this copy or another, does nothing.</summary>
    public void Dispose()
    {
        if (_writer is not null && _writer.Session == _session)
        {
            _writer.Dispose();
        }
    }
}
