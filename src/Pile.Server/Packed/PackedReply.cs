// GetReply, SetReply, RemoveReply, ValueBatch, OutcomeBatch and BatchReply of protos/pile/v1/entries.proto, written by hand: values are copied from the cache's
// memory into one buffer, and from there to the connection. Objects are used again.
using System;
using System.Buffers;
using System.Threading.Tasks;
using Google.Protobuf;
using Microsoft.Extensions.ObjectPool;
using Pile.Cache;
using Pile.Server.Calls;
using Pile.Wire;

namespace Pile.Server.Packed;

/// <summary>A reply of the hot calls. Not thread-safe; writing it gives it back.</summary>
internal sealed class PackedReply : IResettable
{
    private static readonly ObjectPool<PackedReply> _pool = new DefaultObjectPool<PackedReply>(new DefaultPooledObjectPolicy<PackedReply>(), ServerLimits.PooledMax);

    private byte[] _bytes = [];
    private int _used;
    private int _itemBytes;

    public PackedReply() => Done = Task.FromResult(this);

    /// <summary>This reply as a task that is done: it is made once, however often the object is used.</summary>
    internal Task<PackedReply> Done { get; }

    internal ulong Id { get; set; }

    /// <summary>Which message it is.</summary>
    internal ReplyForm Form { get; set; }

    /// <summary>For each value 0 where there is none, else its length and one; or the outcomes.</summary>
    internal LengthList Items { get; } = new();

    internal PileEntryVersion? Version { get; set; }

    /// <summary>Milliseconds until the entry ends; 0 where it does not, or nobody asks.</summary>
    internal ulong EndsInMs { get; set; }

    internal V1.BatchFailure? Failure { get; set; }

    /// <summary>The bytes of all values.</summary>
    internal ReadOnlySpan<byte> Values => _bytes.AsSpan(0, _used);

    internal static PackedReply Rent() => _pool.Get();

    internal void Return() => _pool.Return(this);

    internal void AddMissing() => Items.Add(0, int.MaxValue);

    internal void AddOutcome(V1.Outcome outcome) => Items.Add((uint)outcome, int.MaxValue);

    /// <summary>Adds a value.</summary>
    /// <returns>False when the reply would be longer than allowed; nothing was added.</returns>
    /// <exception cref="Grpc.Core.RpcException">There is no memory; nothing was added.</exception>
    internal bool TryAdd(ReadOnlySpan<byte> value, int bytesMax)
    {
        if (value.Length > bytesMax - _used)
        {
            return false;
        }

        if (value.Length > _bytes.Length - _used)
        {
            byte[] larger = Larger(int.Max(_used + value.Length, int.Min(_bytes.Length * 2, bytesMax)));
            Values.CopyTo(larger);
            Release();
            _bytes = larger;
        }

        value.CopyTo(_bytes.AsSpan(_used));
        _used += value.Length;
        Items.Add((uint)value.Length + 1, int.MaxValue);
        return true;
    }

    /// <inheritdoc/>
    public bool TryReset()
    {
        Id = 0;
        Form = ReplyForm.Value;
        _itemBytes = 0;
        Version = null;
        EndsInMs = 0;
        Failure = null;
        Items.Clear();
        _used = 0;
        if (_bytes.Length > ServerLimits.PooledBytesMax)
        {
            Release();
        }

        return true;
    }

    /// <summary>Bytes of the message. Asked before it is written, and once.</summary>
    internal int CountBytes(bool isChoice)
    {
        if (Form == ReplyForm.Value)
        {
            return (Items[0] > 0 ? 2 : 0) + SizeOf(_used) + (Version is null ? 0 : 2 + VersionBytes()) + (EndsInMs == 0 ? 0 : 1 + WireWriter.SizeOf(EndsInMs));
        }

        if (Form == ReplyForm.Outcome)
        {
            return Items[0] == 0 ? 0 : 1 + WireWriter.SizeOf(Items[0]);
        }

        _itemBytes = Failure is null ? ItemBytes() : 0;
        int bytes = InnerBytes();
        return isChoice ? 1 + WireWriter.SizeOf((ulong)bytes) + bytes : bytes;
    }

    /// <summary>Writes the message, and gives this back.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="isChoice">Whether as a BatchReply.</param>
    /// <param name="head">What stands before it.</param>
    internal void Write(IBufferWriter<byte> target, bool isChoice, ReadOnlySpan<byte> head = default)
    {
        var writer = new WireWriter(target);
        writer.Bytes(head);
        switch (Form)
        {
            case ReplyForm.Value:
                WriteValue(ref writer);
                break;
            case ReplyForm.Outcome:
                if (Items[0] != 0)
                {
                    writer.Number((1 << 3) | WireReader.Varint);
                    writer.Number(Items[0]);
                }

                break;
            default:
                if (isChoice)
                {
                    writer.Number(((uint)(Failure is not null ? 3 : Form == ReplyForm.Outcomes ? 2 : 1) << 3) | WireReader.Length);
                    writer.Number((ulong)InnerBytes());
                }

                if (Failure is null)
                {
                    WriteBatch(ref writer, _itemBytes);
                }

                break;
        }

        writer.Flush();
        Failure?.WriteTo(target);
        Return();
    }

    private void WriteValue(ref WireWriter writer)
    {
        if (Items[0] > 0)
        {
            writer.Number((1 << 3) | WireReader.Varint);
            writer.Number(1);
        }

        Field(ref writer, 2, Values);
        if (Version is { } version)
        {
            writer.Number((3 << 3) | WireReader.Length);
            writer.Number((ulong)VersionBytes());
            EightBytes(ref writer, 1, (ulong)version.Number);
            EightBytes(ref writer, 2, (ulong)version.CreatedMs);
        }

        if (EndsInMs != 0)
        {
            writer.Number((4 << 3) | WireReader.Varint);
            writer.Number(EndsInMs);
        }
    }

    private int VersionBytes() => (Version!.Value.Number == 0 ? 0 : 9) + (Version.Value.CreatedMs == 0 ? 0 : 9);

    private int InnerBytes() => Failure is { } failure ? failure.CalculateSize() : BatchBytes(_itemBytes);

    private void WriteBatch(ref WireWriter writer, int itemBytes)
    {
        if (Id != 0)
        {
            writer.Number((1 << 3) | WireReader.Varint);
            writer.Number(Id);
        }

        if (Items.Count > 0)
        {
            writer.Number((2 << 3) | WireReader.Length);
            writer.Number((ulong)itemBytes);
            for (int index = 0; index < Items.Count; index++)
            {
                writer.Number(Items[index]);
            }
        }

        Field(ref writer, 3, Values);
    }

    private int BatchBytes(int itemBytes) =>
        (Id == 0 ? 0 : 1 + WireWriter.SizeOf(Id)) + (Items.Count == 0 ? 0 : 1 + WireWriter.SizeOf((ulong)itemBytes) + itemBytes) + SizeOf(_used);

    private int ItemBytes()
    {
        int bytes = 0;
        for (int index = 0; index < Items.Count; index++)
        {
            bytes += WireWriter.SizeOf(Items[index]);
        }

        return bytes;
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

    private static void EightBytes(ref WireWriter writer, uint number, ulong value)
    {
        if (value != 0)
        {
            writer.Number((number << 3) | WireReader.Fixed64);
            writer.EightBytes(value);
        }
    }

    private static byte[] Larger(int bytes)
    {
        try
        {
            return ArrayPool<byte>.Shared.Rent(bytes);
        }
        catch (OutOfMemoryException)
        {
            throw CallFailure.NoMemory(bytes);
        }
    }

    private void Release()
    {
        if (_bytes.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = [];
        }
    }
}
