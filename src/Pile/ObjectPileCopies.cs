// Copies of stored bytes into the caller's memory, whatever the lane. Leases show the same bytes without a copy.
// Typed values are ObjectPileTyped's.
using System;
using System.Buffers;

namespace Pile;

/// <summary>Copies out of a pile.</summary>
public static class ObjectPileCopies
{
    /// <summary>Copies an object's stored bytes.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="destination">Where to.</param>
    /// <param name="bytesWritten">Bytes copied; when the destination is too small, the bytes it would need.</param>
    /// <returns>False when the destination is too small: nothing was copied.</returns>
    /// <remarks>The bytes of a text are no UTF-8: Latin-1 where all chars are at most U+00FF, else UTF-16.</remarks>
    /// <inheritdoc cref="ObjectPile.Lease"/>
    public static bool TryCopyTo(this ObjectPile pile, PilePointer pointer, Span<byte> destination, out int bytesWritten)
    {
        ArgumentNullException.ThrowIfNull(pile);
        using PileLease lease = ReadsAtOnce.Lease(pile, pointer, nameof(TryCopyTo));
        bytesWritten = lease.Length;
        return lease.Bytes.TryCopyTo(destination);
    }

    /// <summary>Copies an object's stored bytes to a writer.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="writer">Where to; called inside a lease, so it should be quick.</param>
    /// <inheritdoc cref="ObjectPile.Lease"/>
    public static void CopyTo(this ObjectPile pile, PilePointer pointer, IBufferWriter<byte> writer)
    {
        ArgumentNullException.ThrowIfNull(pile);
        ArgumentNullException.ThrowIfNull(writer);
        PileLease lease = ReadsAtOnce.Lease(pile, pointer, nameof(CopyTo));
        try
        {
            writer.Write(lease.Bytes);
        }
        finally
        {
            lease.EndScope();
        }
    }
}
