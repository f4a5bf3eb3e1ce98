// Typed values: Put, Get, Update and TryTake by CLR type. The type decides the lane (Codecs.LaneOf); types without a raw
// lane go through the codec registered for them, else the general one.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Epochs;
using Pile.Heap;
using Pile.Primitives;

namespace Pile;

/// <summary>Typed values in a pile.</summary>
public static class ObjectPileTyped
{
    /// <summary>Stores a value: strings, byte[], unmanaged values and arrays of them as they are, other types by their codec.</summary>
    /// <typeparam name="T">The type; where it is a base or an interface, the value's runtime type decides.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="value">The value; copied.</param>
    /// <returns>The pointer to it.</returns>
    /// <exception cref="ArgumentNullException">The value is null.</exception>
    /// <exception cref="PileRefusedException">The value holds what can't be kept: a delegate, a handle, a stream, a task. The message has
    /// the path to it.</exception>
    /// <exception cref="PileUnknownTypeException">The set of types is closed (<see cref="PileTypes.Close"/>), and lacks one of the value's.</exception>
    /// <exception cref="PileFullException">The limit leaves no room; nothing was changed.</exception>
    /// <exception cref="PilePoisonedException">A write to the pile's files failed, now or before; nothing was changed.</exception>
    /// <exception cref="PileException">The pile was opened with <see cref="PileOpenMode.ReadOnly"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public static PilePointer Put<T>(this ObjectPile pile, T value)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(pile);
        var target = new PutTarget(pile);
        PileStatus status = TypedPayloads.Send(pile, value, ref target);
        if (status != PileStatus.Ok)
        {
            WriteFailures.Throw(pile, status, default, nameof(Put), target.Bytes);
        }

        return target.Pointer;
    }

    /// <summary>Stores a value, or reports that there is no room.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="value">The value; copied.</param>
    /// <param name="pointer">The pointer to it, or null.</param>
    /// <param name="status">Ok, Full or Disposed; of a pile in files also Poisoned or ReadOnly.</param>
    /// <exception cref="ArgumentNullException">The value is null.</exception>
    /// <exception cref="PileRefusedException">The value holds what can't be kept: a delegate, a handle, a stream, a task. The message has
    /// the path to it.</exception>
    /// <exception cref="PileUnknownTypeException">The set of types is closed (<see cref="PileTypes.Close"/>), and lacks one of the value's.</exception>
    /// <exception cref="PilePoisonedException">Of a PowerSafe pile: the flush that a new type waits for failed; the value was not stored.</exception>
    public static bool TryPut<T>(this ObjectPile pile, T value, out PilePointer pointer, out PileStatus status)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(pile);
        var target = new PutTarget(pile);
        status = TypedPayloads.Send(pile, value, ref target);
        pointer = target.Pointer;
        return status == PileStatus.Ok;
    }

    /// <summary>Reads a value back.</summary>
    /// <typeparam name="T">The type it was put as.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <exception cref="PileStaleException">The object was deleted, or never was.</exception>
    /// <exception cref="PileTypeMismatchException">The object is stored in another lane, size or type, or in fields that today's can't take; or the hash code, equality
    /// or order of a key in it threw, which is inside.</exception>
    /// <exception cref="PileUnknownTypeException">The object, or one in it, is of a type that this program has not shown to the pile; the
    /// message has the line to add.</exception>
    /// <exception cref="PileCorruptedException">The stored bytes are damaged.</exception>
    /// <exception cref="PilePoisonedException">Of a pile in files: the system could not write back pages of its table of objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public static T Get<T>(this ObjectPile pile, PilePointer pointer)
    {
        ArgumentNullException.ThrowIfNull(pile);
        PileLease lease = ReadsAtOnce.Lease(pile, pointer, nameof(Get));
        try
        {
            if (!TypedPayloads.TryRead(pile, lease.Code, lease.Bytes, out T? value))
            {
                TypedPayloads.ThrowMismatch<T>(pile, pointer, lease.Code, lease.Bytes);
            }

            return value!;
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <inheritdoc cref="Get{T}(ObjectPile, PilePointer)"/>
    /// <param name="pile">The pile.</param>
    /// <param name="reference">The object.</param>
    public static T Get<T>(this ObjectPile pile, PileRef<T> reference) => Get<T>(pile, reference.Pointer);

    /// <summary>Reads a value back, or reports why not.</summary>
    /// <typeparam name="T">The type it was put as.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="value">The value, or default.</param>
    /// <param name="status">Ok, Stale, WrongPile, TypeMismatch (another lane, size or type), Corrupted (the stored bytes are damaged) or Disposed.</param>
    /// <exception cref="PileTypeMismatchException">The object is of the type, or holds one, whose fields today can't take what was stored; or the hash code, equality or
    /// order of a key in it threw, which is inside.</exception>
    /// <exception cref="PileUnknownTypeException">The object, or one in it, is of a type that this program has not shown to the pile.</exception>
    /// <exception cref="PileCorruptedException">The stored bytes are damaged.</exception>
    public static bool TryGet<T>(this ObjectPile pile, PilePointer pointer, [NotNullWhen(true)] out T? value, out PileStatus status)
    {
        ArgumentNullException.ThrowIfNull(pile);
        status = pile.Reads.TryLease(pointer.Word, out PileLease lease);
        if (status != PileStatus.Ok)
        {
            value = default;
            return false;
        }

        try
        {
            bool read = TypedPayloads.TryRead(pile, lease.Code, lease.Bytes, out value);
            status = read ? PileStatus.Ok : PileStatus.TypeMismatch;
            return read;
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <inheritdoc cref="TryGet{T}(ObjectPile, PilePointer, out T, out PileStatus)"/>
    public static bool TryGet<T>(this ObjectPile pile, PilePointer pointer, [NotNullWhen(true)] out T? value) =>
        TryGet(pile, pointer, out value, out _);

    /// <summary>Replaces an object by a value. Last writer wins; the pointer stays valid.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="value">The new value, of any type and size.</param>
    /// <exception cref="PileStaleException">The object was deleted, or never was.</exception>
    /// <exception cref="PileCorruptedException">Of a pile in files: the entry or the record's header is damaged.</exception>
    /// <exception cref="PileException">The pointer is another pile's; or, in files, the object has used up its versions.</exception>
    /// <inheritdoc cref="Put{T}"/>
    public static void Update<T>(this ObjectPile pile, PilePointer pointer, T value)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(pile);
        var target = new UpdateTarget(pile, pointer);
        PileStatus status = TypedPayloads.Send(pile, value, ref target);
        if (status != PileStatus.Ok)
        {
            WriteFailures.Throw(pile, status, pointer, nameof(Update), target.Bytes);
        }
    }

    /// <summary>Replaces an object by a value, or reports why not.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="value">The new value.</param>
    /// <returns>Ok, Stale, WrongPile, Full or Disposed; of a pile in files also Corrupted, VersionsExhausted, Poisoned or ReadOnly.</returns>
    public static PileStatus TryUpdate<T>(this ObjectPile pile, PilePointer pointer, T value)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(pile);
        var target = new UpdateTarget(pile, pointer);
        return TypedPayloads.Send(pile, value, ref target);
    }

    /// <summary>Reads, changes and replaces a value as one step: nobody's update in between is lost.</summary>
    /// <typeparam name="T">The type it was put as.</typeparam>
    /// <typeparam name="TState">What the change needs.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="state">Handed to <paramref name="change"/>.</param>
    /// <param name="change">Computes the new value. May be called again when the object changed or moved meanwhile, so it should
    /// have no effect of its own; not called under any lock. It must not update the same object: the value that it read is another then each time, and the call never ends.</param>
    /// <exception cref="PileTypeMismatchException">The object is stored in another lane, size or type, or in fields that today's can't take; it was not replaced.</exception>
    /// <exception cref="PileUnknownTypeException">The object, or one in it, is of a type that this program has not shown to the pile; it was not replaced. Or the set of
    /// types is closed (<see cref="PileTypes.Close"/>), and lacks one of the new value's.</exception>
    /// <inheritdoc cref="Update{T}(ObjectPile, PilePointer, T)"/>
    public static void Update<T, TState>(this ObjectPile pile, PilePointer pointer, TState state, Func<T, TState, T> change)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(pile);
        ArgumentNullException.ThrowIfNull(change);
        var target = new UpdateTarget(pile, pointer);
        while (true)
        {
            PileStatus status = TryRead(pile, pointer, out T? value, out SeenEntry seen);
            target.Expected = seen;
            if (status == PileStatus.Ok)
            {
                status = TypedPayloads.Send(pile, change(value!, state), ref target);
            }

            if (status == PileStatus.Ok)
            {
                return;
            }

            if (status != PileStatus.Conflict)
            {
                WriteFailures.Throw(pile, status, pointer, nameof(Update), target.Bytes);
            }
        }
    }

    /// <summary>Reads a value and deletes its object as one step: of several callers exactly one gets it.</summary>
    /// <typeparam name="T">The type it was put as.</typeparam>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="value">The value, or default.</param>
    /// <returns>False when the pointer is stale or another pile's.</returns>
    /// <exception cref="PileTypeMismatchException">The object is stored in another lane, size or type, or in fields that today's can't take; it was not deleted.</exception>
    /// <exception cref="PileUnknownTypeException">The object, or one in it, is of a type that this program has not shown to the pile; it was not deleted.</exception>
    /// <exception cref="PileFullException">A pile in files has no room to note that it is gone; it was not deleted.</exception>
    /// <exception cref="PileCorruptedException">Its bytes are damaged; it was not deleted.</exception>
    /// <exception cref="PilePoisonedException">A write to the pile's files failed, now or before; it was not deleted.</exception>
    /// <exception cref="PileException">The pile was opened with <see cref="PileOpenMode.ReadOnly"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public static bool TryTake<T>(this ObjectPile pile, PilePointer pointer, [NotNullWhen(true)] out T? value)
    {
        ArgumentNullException.ThrowIfNull(pile);
        while (true)
        {
            PileStatus status = TryRead(pile, pointer, out value, out SeenEntry seen);
            if (status == PileStatus.Ok)
            {
                status = pile.Writes.TryDelete(pointer.Word, seen);
            }

            if (status is PileStatus.Ok or PileStatus.Stale or PileStatus.WrongPile)
            {
                value = status == PileStatus.Ok ? value : default;
                return status == PileStatus.Ok;
            }

            if (status == PileStatus.Disposed)
            {
                Throw.Disposed();
            }

            if (status != PileStatus.Conflict)
            {
                // The object is there: false would say that somebody else took it.
                WriteFailures.Throw(pile, status, pointer, nameof(TryTake), bytes: 0);
            }
        }
    }

    /// <summary>Reads a value and what an exchange may expect.</summary>
    private static PileStatus TryRead<T>(ObjectPile pile, PilePointer pointer, [MaybeNull] out T value, out SeenEntry seen)
    {
        if (!pile.Reads.TryLease(EpochLine.Current, pointer.Word, out PileLease lease, out ulong entry))
        {
            seen = default;
            value = default;
            return pile.Reads.WhyNot(pointer.Word);
        }

        try
        {
            seen = SeenEntry.Of(pile.Core.Directory, entry);
            if (!TypedPayloads.TryRead(pile, lease.Code, lease.Bytes, out value))
            {
                TypedPayloads.ThrowMismatch<T>(pile, pointer, lease.Code, lease.Bytes);
            }

            return PileStatus.Ok;
        }
        finally
        {
            lease.EndScope();
        }
    }
}
