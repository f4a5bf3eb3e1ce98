// Objects of the pile as values: a program puts an object and gives it to as many keys and tables as it likes. The cache counts the entries
// that lead to it, and deletes it when the last of them has gone.
using System;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Keys;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>Objects of the pile that entries share.</summary>
public static class PileTablePointers
{
    /// <summary>Lets a key lead to an object of the cache's pile, which other keys, of any of its tables, may lead to as well. Reads of the key show
    /// the object as it is then.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values; the object must be one.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="pointer">The object, put into <see cref="PileCache.Pile"/>.</param>
    /// <param name="options">The entry's terms; they hold for this key alone.</param>
    /// <returns>What became of it. Full, Expired: the key leads to no object, and the object is whose it was.</returns>
    /// <exception cref="ArgumentNullException">The table or the key is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The key is too long, or an end is out of its range.</exception>
    /// <exception cref="PileStaleException">The object was deleted, or the last key that led to it is gone.</exception>
    /// <exception cref="PileTypeMismatchException">The object is no TValue.</exception>
    /// <exception cref="PileException">The pointer is another pile's, or the object is damaged.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>Thread-safe. From the first call that stored an entry on the object is the cache's: it is deleted when the last entry that leads to
    /// it is gone, however that came about, and never before. A call that was killed has stored its entry, or the object is the program's still.
    /// The program may go on reading and updating the object; where it deletes it, the keys are misses. In a PowerSafe directory the object of
    /// keys of durable tables is deleted after the flush that covers the end of the last one, and an object that no flush has covered
    /// yet waits for one before it takes the place of a durable entry. An object of the general codec is read once, to see its type.</remarks>
    public static PileSetResult SetPointer<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, PilePointer pointer, in PileEntryOptions options = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        NullRefusal.Unless(key);
        table.ThrowIfEnded();
        var linked = new LinkedValue(pointer.Word, BytesOf(table, pointer), IsShared: true);
        EntryTerms terms = EntryTermsOf.Options(table.Parts, options);
        byte[]? rented = null;
        PileStatus kept = PileStatus.Ok;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Kind == KeyKind.Raw
            ? RawValue.AsBytes(in key)
            : KeyCodec<TKey>.Encode(table.Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented, out kept);
        PileSetResult result = default;
        PileStatus status = kept != PileStatus.Ok && PileTable<TKey, TValue>.IsRefused(terms, SetCondition.None) ? kept : table.Core.SetShared(bytes, linked, terms, out result);
        PileTable<TKey, TValue>.Return(rented);
        if (status == PileStatus.Stale)
        {
            Throw.Failed(status, pointer, nameof(SetPointer));
        }

        return table.Result(status, result);
    }

    /// <summary>Tells the object that a key leads to. Counts as a read.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="pointer">The object; the null pointer when false.</param>
    /// <returns>Whether the key has an entry that has not ended and was stored by <see cref="SetPointer{TKey, TValue}"/>: a value that Set stored
    /// is no object of its own.</returns>
    /// <exception cref="ArgumentNullException">The table or the key is null.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>Thread-safe; takes no lock and allocates nothing. The object may be deleted as soon as the last key that leads to it goes: then
    /// the pointer answers Stale, and never shows another object.</remarks>
    public static bool TryGetPointer<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, out PilePointer pointer)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        pointer = default;
        if (!table.TryLeaseAt(key, oldestMs: 0, out PileLease lease, out long location))
        {
            return false;
        }

        LinkedValue linked = table.Core.LinkAt(location);
        lease.EndScope();
        pointer = linked.IsShared ? new PilePointer(linked.Pointer) : default;
        return linked.IsShared;
    }

    /// <summary>Bytes of an object that is a TValue.</summary>
    private static int BytesOf<TKey, TValue>(PileTable<TKey, TValue> table, PilePointer pointer)
        where TKey : notnull
        where TValue : notnull
    {
        ObjectPile pile = table.Cache.Pile;
        PileStatus status = pile.Reads.TryLease(pointer.Word, out PileLease lease);
        if (status != PileStatus.Ok)
        {
            Throw.Failed(status, pointer, nameof(SetPointer));
        }

        try
        {
            if (!TypedPayloads.Fits<TValue>(pile, lease.Code, lease.Bytes))
            {
                TypedPayloads.ThrowMismatch<TValue>(pile, pointer, lease.Code, lease.Bytes, "Set it in a table whose values are of the type that it was put as.");
            }

            return lease.Length;
        }
        finally
        {
            lease.EndScope();
        }
    }
}
