// Many pointers at once: entries are prefetched together, then records, so that the misses of a batch overlap.
// One epoch pin a group of 16, not a call, so that a long batch does not hold reclamation back.
using System;
using System.Runtime.CompilerServices;
using Pile.Epochs;
using Pile.Heap;
using Pile.Primitives;

namespace Pile;

/// <summary>Batched reads.</summary>
public static class ObjectPileBatches
{
    /// <summary>Shows each object of a batch to a visitor without a copy.</summary>
    /// <typeparam name="TVisitor">A struct, so that the call is direct; it may be a ref struct.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="pointers">The objects, in any number.</param>
    /// <param name="visitor">Called once per pointer, in order.</param>
    /// <returns>How many were found.</returns>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Allocates nothing. The visitor runs inside a lease: it should be quick, and may read from any pile.</remarks>
    public static int LeaseMany<TVisitor>(this ObjectPile pile, ReadOnlySpan<PilePointer> pointers, ref TVisitor visitor)
        where TVisitor : struct, IPileVisitor, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(pile);
        int found = 0;
        for (int first = 0; first < pointers.Length; first += Limits.BatchPointers)
        {
            ReadOnlySpan<PilePointer> group = pointers.Slice(first, int.Min(Limits.BatchPointers, pointers.Length - first));
            found += VisitGroup(pile, group, first, ref visitor);
        }

        return found;
    }

    /// <summary>Reads many values.</summary>
    /// <typeparam name="T">The type they were put as.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="pointers">The objects.</param>
    /// <param name="values">As long as the pointers; default where there is no value.</param>
    /// <param name="statuses">As long as the pointers, or empty: Ok, Stale, WrongPile, TypeMismatch or Corrupted
    /// (of a pile in files: the bytes are damaged) for each.</param>
    /// <returns>How many were read.</returns>
    /// <exception cref="ArgumentException">A span is too short.</exception>
    /// <exception cref="PileTypeMismatchException">An object is of the type, or holds one, whose fields today can't take what was stored; or the hash code, equality or
    /// order of a key in it threw. The values and statuses before it are set, its own and those behind it are not.</exception>
    /// <exception cref="PileUnknownTypeException">An object, or one in it, is of a type that this program has not shown to the pile. The same holds.</exception>
    /// <exception cref="PileCorruptedException">The stored bytes of an object are damaged in a way that its record does not show. The same holds.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public static int GetMany<T>(this ObjectPile pile, ReadOnlySpan<PilePointer> pointers, Span<T?> values, Span<PileStatus> statuses = default)
    {
        ArgumentNullException.ThrowIfNull(pile);
        if (values.Length < pointers.Length || (!statuses.IsEmpty && statuses.Length < pointers.Length))
        {
            throw new ArgumentException($"values ({values.Length}) and statuses ({statuses.Length}, or none) must be as long as pointers ({pointers.Length}).");
        }

        int read = 0;
        for (int first = 0; first < pointers.Length; first += Limits.BatchPointers)
        {
            int count = int.Min(Limits.BatchPointers, pointers.Length - first);
            PrefetchGroup(pile, pointers.Slice(first, count));
            for (int index = first; index < first + count; index++)
            {
                bool ok = pile.TryGet(pointers[index], out values[index], out PileStatus status);
                read += ok ? 1 : 0;
                if (status == PileStatus.Disposed)
                {
                    Throw.Disposed();
                }

                if (!statuses.IsEmpty)
                {
                    statuses[index] = status;
                }
            }
        }

        return read;
    }

    private static int VisitGroup<TVisitor>(ObjectPile pile, ReadOnlySpan<PilePointer> group, int first, ref TVisitor visitor)
        where TVisitor : struct, IPileVisitor, allows ref struct
    {
        Entries entries = default;
        Statuses statuses = default;
        HeapReads reads = pile.Reads;
        EpochLine line = EpochLine.Current;
        foreach (PilePointer pointer in group)
        {
            reads.PrefetchEntry(pointer.Word);
        }

        long lease = line.BeginLease(pile.Core.Epochs.IdWord);
        try
        {
            int found = 0;
            for (int index = 0; index < group.Length; index++)
            {
                ulong pointer = group[index].Word;
                if (reads.TryFind(pointer, out entries[index]))
                {
                    statuses[index] = PileStatus.Ok;
                    reads.PrefetchRecord(entries[index]);
                }
                else
                {
                    statuses[index] = reads.WhyNot(pointer);
                }
            }

            for (int index = 0; index < group.Length; index++)
            {
                PileStatus status = statuses[index];
                if (status == PileStatus.Disposed)
                {
                    Throw.Disposed();
                }

                ReadOnlySpan<byte> bytes = default;
                bool ok = status == PileStatus.Ok && reads.TryPayload(entries[index], out bytes);
                visitor.Visit(first + index, ok || status != PileStatus.Ok ? status : PileStatus.Stale, bytes);
                found += ok ? 1 : 0;
            }

            return found;
        }
        finally
        {
            line.EndScope(lease);
        }
    }

    private static void PrefetchGroup(ObjectPile pile, ReadOnlySpan<PilePointer> group)
    {
        HeapReads reads = pile.Reads;
        EpochLine line = EpochLine.Current;
        long held = line.Enter(pile.Core.Epochs.IdWord);
        try
        {
            foreach (PilePointer pointer in group)
            {
                reads.PrefetchEntry(pointer.Word);
            }

            foreach (PilePointer pointer in group)
            {
                if (reads.TryFind(pointer.Word, out ulong entry))
                {
                    reads.PrefetchRecord(entry);
                }
            }
        }
        finally
        {
            line.Leave(held);
        }
    }

    [InlineArray(Limits.BatchPointers)]
    private struct Entries
    {
        private ulong _first;
    }

    [InlineArray(Limits.BatchPointers)]
    private struct Statuses
    {
        private PileStatus _first;
    }
}
