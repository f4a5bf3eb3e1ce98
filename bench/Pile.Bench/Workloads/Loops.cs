using System;
using System.Runtime.CompilerServices;

namespace Pile.Bench.Workloads;

/// <summary>The inner loops over a pile that several workloads run. Each is a method of its own that is called by the chunk.</summary>
internal static class Loops
{
    /// <summary>Puts a payload as often as <paramref name="pointers"/> is long.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Put(ObjectPile pile, byte[] payload, Span<PilePointer> pointers)
    {
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.PutBytes(payload);
        }

        return pointers.Length;
    }

    /// <summary>Leases each object and touches its first and last byte, as a caller does who knows all lengths, so that
    /// both bytes can be asked for at once, as the bare loop does. The last is named first: one look at the length serves both.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long LeaseEnds(ObjectPile pile, ReadOnlySpan<PilePointer> pointers)
    {
        long sum = 0;
        foreach (PilePointer pointer in pointers)
        {
            using PileLease lease = pile.Lease(pointer);
            ReadOnlySpan<byte> bytes = lease.Bytes;
            sum += bytes[Data.LastByte] + bytes[0];
        }

        return sum;
    }

    /// <summary>Reads each object under one lease and touches its first and last byte.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long ReadEnds(ObjectPile pile, ReadOnlySpan<PilePointer> pointers)
    {
        long sum = 0;
        using PileReader reader = pile.BeginRead();
        foreach (PilePointer pointer in pointers)
        {
            ReadOnlySpan<byte> bytes = reader[pointer];
            sum += bytes[Data.LastByte] + bytes[0];
        }

        return sum;
    }

    /// <summary>Shows each object to a visitor, 16 a call.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long LeaseManyEnds(ObjectPile pile, ReadOnlySpan<PilePointer> pointers)
    {
        var visitor = default(EndsVisitor);
        for (; pointers.Length >= Batch; pointers = pointers[Batch..])
        {
            pile.LeaseMany(pointers[..Batch], ref visitor);
        }

        pile.LeaseMany(pointers, ref visitor);
        return visitor.Sum;
    }

    /// <summary>Pointers of a call of LeaseMany.</summary>
    internal const int Batch = 16;

    /// <summary>Replaces each object by a payload.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Update(ObjectPile pile, byte[] payload, ReadOnlySpan<PilePointer> pointers)
    {
        foreach (PilePointer pointer in pointers)
        {
            pile.UpdateBytes(pointer, payload);
        }

        return pointers.Length;
    }

    /// <summary>Deletes each object.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Delete(ObjectPile pile, ReadOnlySpan<PilePointer> pointers)
    {
        long deleted = 0;
        foreach (PilePointer pointer in pointers)
        {
            deleted += pile.Delete(pointer) ? 1 : 0;
        }

        return deleted;
    }

    private struct EndsVisitor : IPileVisitor
    {
        internal long Sum;

        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes) => Sum += bytes[0] + bytes[Data.LastByte];
    }
}
