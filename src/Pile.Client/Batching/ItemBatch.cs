// Calls of one kind, on one table and with the same terms, that travel as one message: GetBatch, SetBatch or RemoveBatch of
// protos/pile/v1/entries.proto, written by hand. Keys and values are copied in when a call is added, so that a batch can be sent again by itself.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using System.Threading;
using Google.Protobuf;
using Pile.Wire;

namespace Pile.Client.Batching;

/// <summary>A batch: filled under its line's lock, then sent and answered by one at a time.</summary>
internal sealed class ItemBatch
{
    private const int PrefixBytes = 5;

    // Of all batches that wait for use. Whoever takes one or gives one back changes it by what that one has; a moment's excess does no harm.
    private static long _pooledBytes;

    private ArrayBufferWriter<byte> _keyLengths = new(256);
    private ArrayBufferWriter<byte> _keys = new(1024);
    private ArrayBufferWriter<byte> _valueLengths = new(256);
    private ArrayBufferWriter<byte> _values = new(1024);
    private PendingItem[] _items = new PendingItem[16];
    private int _counted;

    internal BatchKind Kind { get; private set; }

    internal string Table { get; private set; } = "";

    internal PileClientTerms Terms { get; private set; }

    internal int Count { get; private set; }

    /// <summary>Its number on the stream that it was sent on.</summary>
    internal ulong Id { get; set; }

    /// <summary>When it was sent.</summary>
    internal long SentAt { get; set; }

    /// <summary>The stream that it was sent on, or null.</summary>
    internal BatchStream? On { get; set; }

    /// <summary>How often it was sent again.</summary>
    internal int Tries { get; set; }

    internal ReadOnlySpan<PendingItem> Items => _items.AsSpan(0, Count);

    /// <summary>Whether nobody waits for it any more.</summary>
    internal bool IsAbandoned
    {
        get
        {
            foreach (PendingItem item in Items)
            {
                if (!item.IsDone)
                {
                    return false;
                }
            }

            return true;
        }
    }

    internal static ItemBatch Rent(BatchKind kind, string table, in PileClientTerms terms)
    {
        ItemBatch batch = ItemPool<ItemBatch>.Rent();
        _ = Interlocked.Add(ref _pooledBytes, -batch._counted);
        batch._counted = 0;
        batch.Kind = kind;
        batch.Table = table;
        batch.Terms = terms;
        return batch;
    }

    /// <summary>Lets go of all calls, and is used again.</summary>
    internal void Return()
    {
        foreach (PendingItem item in Items)
        {
            item.Release();
        }

        Array.Clear(_items, 0, Count);
        Count = 0;
        Tries = 0;
        On = null;
        Reset(ref _keyLengths);
        Reset(ref _keys);
        Reset(ref _valueLengths);
        Reset(ref _values);
        _counted = _keyLengths.Capacity + _keys.Capacity + _valueLengths.Capacity + _values.Capacity + (_items.Length * IntPtr.Size);
        int bytes = _counted;
        if (Interlocked.Add(ref _pooledBytes, bytes) > ClientLimits.PooledBatchBytesMax || !ItemPool<ItemBatch>.Return(this))
        {
            _ = Interlocked.Add(ref _pooledBytes, -bytes);
        }
    }

    /// <summary>Whether a call can be added to it.</summary>
    internal bool Takes(BatchKind kind, string table, in PileClientTerms terms, int bytes) =>
        kind == Kind && Tries == 0 && Count < ClientLimits.BatchItemsMax && _keys.WrittenCount + _values.WrittenCount + bytes <= ClientLimits.BatchBytesMax
        && (ReferenceEquals(table, Table) || table == Table) && terms == Terms;

    internal void Add(PendingItem item, PileKey key, int keyBytes, ReadOnlySpan<byte> value)
    {
        _ = key.CopyTo(_keys.GetSpan(keyBytes));
        _keys.Advance(keyBytes);
        Add(item, keyBytes, value);
    }

    /// <summary>Puts the second half of the calls into another batch.</summary>
    internal ItemBatch Split()
    {
        ItemBatch second = Rent(Kind, Table, Terms);
        Deal(second);
        return second;
    }

    /// <summary>Lets go of the calls for which nobody waits any more, so that they are not done.</summary>
    internal void DropDone()
    {
        foreach (PendingItem item in Items)
        {
            if (item.IsDone)
            {
                Deal(second: null);
                return;
            }
        }
    }

    // Keeps the calls that are not done: all of them, or the first half, and the rest goes into another batch.
    private void Deal(ItemBatch? second)
    {
        ItemBatch first = Rent(Kind, Table, Terms);
        var keyLengths = new WireReader(_keyLengths.WrittenSpan);
        var valueLengths = new WireReader(_valueLengths.WrittenSpan);
        ReadOnlySpan<byte> keys = _keys.WrittenSpan;
        ReadOnlySpan<byte> values = _values.WrittenSpan;
        for (int index = 0; index < Count; index++)
        {
            ItemBatch target = second is null || index < Count / 2 ? first : second;
            int keyBytes = (int)keyLengths.Number();
            int valueBytes = Kind == BatchKind.Set ? (int)valueLengths.Number() : 0;
            if (_items[index].IsDone)
            {
                _items[index].Release();
            }
            else
            {
                target._keys.Write(keys[..keyBytes]);
                target.Add(_items[index], keyBytes, values[..valueBytes]);
            }

            keys = keys[keyBytes..];
            values = values[valueBytes..];
        }

        // This one has what the first has, which goes back with nothing in it: no call is let go of twice.
        Array.Clear(_items, 0, Count);
        (first._keyLengths, _keyLengths) = (_keyLengths, first._keyLengths);
        (first._keys, _keys) = (_keys, first._keys);
        (first._valueLengths, _valueLengths) = (_valueLengths, first._valueLengths);
        (first._values, _values) = (_values, first._values);
        (first._items, _items) = (_items, first._items);
        (first.Count, Count) = (0, first.Count);
        first.Return();
    }

    /// <summary>Writes it as a message of gRPC with a BatchRequest.</summary>
    internal void WriteTo(ArrayBufferWriter<byte> target)
    {
        V1.EntryTerms? terms = Kind == BatchKind.Set ? Calls.WireForm.TermsOf(Terms) : null;
        int termBytes = terms?.CalculateSize() ?? 0;
        int tableBytes = Encoding.UTF8.GetByteCount(Table);
        int bytes = 1 + WireWriter.SizeOf(Id) + SizeOf(_keyLengths.WrittenCount) + SizeOf(_keys.WrittenCount) + SizeOf(tableBytes)
            + SizeOf(_valueLengths.WrittenCount) + SizeOf(_values.WrittenCount) + (terms is null ? 0 : 1 + WireWriter.SizeOf((ulong)termBytes) + termBytes);
        Span<byte> prefix = target.GetSpan(PrefixBytes);
        prefix[0] = 0;
        BinaryPrimitives.WriteInt32BigEndian(prefix[1..], 1 + WireWriter.SizeOf((ulong)bytes) + bytes);
        target.Advance(PrefixBytes);
        var writer = new WireWriter(target);
        writer.Number(((uint)Kind << 3) | WireReader.Length);
        writer.Number((ulong)bytes);
        writer.Number((1 << 3) | WireReader.Varint);
        writer.Number(Id);
        Field(ref writer, 2, _keyLengths.WrittenSpan);
        Field(ref writer, 3, _keys.WrittenSpan);
        if (tableBytes > 0)
        {
            writer.Number((4 << 3) | WireReader.Length);
            writer.Number((ulong)tableBytes);
            writer.Flush();
            _ = Encoding.UTF8.GetBytes(Table, target);
        }

        Field(ref writer, 5, _valueLengths.WrittenSpan);
        Field(ref writer, 6, _values.WrittenSpan);
        if (terms is not null)
        {
            writer.Number((7 << 3) | WireReader.Length);
            writer.Number((ulong)termBytes);
            writer.Flush();
            terms.WriteTo(target);
        }

        writer.Flush();
    }

    /// <summary>The key of a call, as a new array.</summary>
    internal byte[] KeyOf(int index)
    {
        var lengths = new WireReader(_keyLengths.WrittenSpan);
        int at = 0;
        for (int before = 0; before < index; before++)
        {
            at += (int)lengths.Number();
        }

        return _keys.WrittenSpan.Slice(at, (int)lengths.Number()).ToArray();
    }

    private static int SizeOf(int bytes) => bytes == 0 ? 0 : 1 + WireWriter.SizeOf((ulong)bytes) + bytes;

    private static void Field(ref WireWriter writer, uint number, ReadOnlySpan<byte> bytes)
    {
        if (!bytes.IsEmpty)
        {
            writer.Number((number << 3) | WireReader.Length);
            writer.Number((ulong)bytes.Length);
            writer.Bytes(bytes);
        }
    }

    private static void Reset(ref ArrayBufferWriter<byte> buffer)
    {
        if (buffer.Capacity > ClientLimits.PooledBytesMax)
        {
            buffer = new ArrayBufferWriter<byte>(1024);
        }
        else
        {
            buffer.ResetWrittenCount();
        }
    }

    private static void AddLength(ArrayBufferWriter<byte> lengths, int length)
    {
        var writer = new WireWriter(lengths);
        writer.Number((ulong)length);
        writer.Flush();
    }

    private void Add(PendingItem item, int keyBytes, ReadOnlySpan<byte> value)
    {
        AddLength(_keyLengths, keyBytes);
        if (Kind == BatchKind.Set)
        {
            AddLength(_valueLengths, value.Length);
            _values.Write(value);
        }

        if (Count == _items.Length)
        {
            Array.Resize(ref _items, Count * 2);
        }

        _items[Count++] = item;
    }
}
