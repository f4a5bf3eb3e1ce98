// GetRequest, SetRequest, RemoveRequest, GetBatch, SetBatch, RemoveBatch and BatchRequest of protos/pile/v1/entries.proto, read by hand: one copy of the message,
// and where its parts are in it. Objects are used again. It accepts what generated parsers accept: unpacked lists, packed ones in
// several runs, fields in any order, twice, or unknown.
using System;
using System.Buffers;
using System.IO;
using System.Text.Unicode;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.ObjectPool;
using Pile.Server.Calls;
using Pile.Wire;

namespace Pile.Server.Packed;

/// <summary>A request of the hot calls. Not thread-safe; given back by <see cref="Return"/>.</summary>
internal sealed class PackedRequest : IResettable
{
    private static readonly ObjectPool<PackedRequest> _pool = new DefaultObjectPool<PackedRequest>(new DefaultPooledObjectPolicy<PackedRequest>(), ServerLimits.PooledMax);

    private byte[] _bytes = [];
    private Range _table;
    private Range _keys;
    private Range _values;

    internal PackedKind Kind { get; private set; }

    internal ulong Id { get; private set; }

    internal bool WantsVersion { get; private set; }

    internal bool WantsEnd { get; private set; }

    internal LengthList KeyLengths { get; } = new();

    internal LengthList ValueLengths { get; } = new();

    internal V1.EntryTerms? Terms { get; private set; }

    internal V1.SetWhen When { get; private set; }

    internal ReadOnlySpan<byte> Table => _bytes.AsSpan(_table);

    /// <summary>The keys of a batch, or the key of one entry.</summary>
    internal ReadOnlySpan<byte> Keys => _bytes.AsSpan(_keys);

    /// <summary>The values of a batch, or the value of a Set.</summary>
    internal ReadOnlySpan<byte> Values => _bytes.AsSpan(_values);

    /// <summary>Reads a message.</summary>
    /// <param name="message">Its bytes; copied.</param>
    /// <param name="kind">What it is; None for a BatchRequest, which says so itself.</param>
    /// <param name="itemsMax">Items of which lengths are kept.</param>
    /// <exception cref="RpcException">It is no such message, or there is no memory for it.</exception>
    internal static PackedRequest Read(in ReadOnlySequence<byte> message, PackedKind kind, int itemsMax)
    {
        PackedRequest request = _pool.Get();
        int length = (int)message.Length;
        bool isRead = false;
        try
        {
            if (request._bytes.Length < length)
            {
                request.Release();
                request._bytes = ArrayPool<byte>.Shared.Rent(length);
            }

            message.CopyTo(request._bytes);
            request.Kind = kind;
            request.Read(length, itemsMax);
            isRead = true;
            return request;
        }
        catch (InvalidDataException malformed)
        {
            throw CallFailure.Refused(malformed.Message);
        }
        catch (OutOfMemoryException)
        {
            throw CallFailure.NoMemory(length);
        }
        finally
        {
            if (!isRead)
            {
                request.Return();
            }
        }
    }

    internal void Return() => _pool.Return(this);

    /// <inheritdoc/>
    public bool TryReset()
    {
        Clear();
        if (_bytes.Length > ServerLimits.PooledBytesMax)
        {
            Release();
        }

        return true;
    }

    private void Clear()
    {
        Kind = PackedKind.None;
        Id = 0;
        WantsVersion = false;
        WantsEnd = false;
        Terms = null;
        When = default;
        _table = _keys = _values = default;
        KeyLengths.Clear();
        ValueLengths.Clear();
    }

    private void Release()
    {
        if (_bytes.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = [];
        }
    }

    private void Read(int length, int itemsMax)
    {
        switch (Kind)
        {
            case PackedKind.None:
                ReadChoice(length, itemsMax);
                break;
            case PackedKind.Get or PackedKind.Set or PackedKind.Remove:
                ReadOne(length);
                break;
            default:
                ReadBatch(0, length, itemsMax);
                break;
        }
    }

    private void ReadChoice(int length, int itemsMax)
    {
        var reader = new WireReader(_bytes.AsSpan(0, length));
        while (!reader.IsAtEnd)
        {
            uint tag = reader.Tag();
            var kind = (PackedKind)(tag >> 3);
            if ((tag & 7) != WireReader.Length || kind is not (PackedKind.GetMany or PackedKind.SetMany or PackedKind.RemoveMany))
            {
                reader.Skip(tag);
                continue;
            }

            // Of one choice twice the second is merged into the first; of two the last counts.
            if (kind != Kind)
            {
                Clear();
                Kind = kind;
            }

            int bytes = reader.Bytes().Length;
            ReadBatch(reader.At - bytes, bytes, itemsMax);
        }
    }

    private void ReadOne(int length)
    {
        var reader = new WireReader(_bytes.AsSpan(0, length));
        while (!reader.IsAtEnd)
        {
            uint tag = reader.Tag();
            switch (tag)
            {
                case (1 << 3) | WireReader.Length:
                    _table = TextOf(ref reader, 0);
                    break;
                case (2 << 3) | WireReader.Length:
                    _keys = RangeOf(ref reader, 0);
                    break;
                case (3 << 3) | WireReader.Varint when Kind == PackedKind.Get:
                    WantsVersion = reader.Number() != 0;
                    break;
                case (4 << 3) | WireReader.Varint when Kind == PackedKind.Get:
                    WantsEnd = reader.Number() != 0;
                    break;
                case (3 << 3) | WireReader.Length when Kind == PackedKind.Set:
                    _values = RangeOf(ref reader, 0);
                    break;
                case (4 << 3) | WireReader.Length when Kind == PackedKind.Set:
                    ReadTerms(reader.Bytes());
                    break;
                case (5 << 3) | WireReader.Varint when Kind == PackedKind.Set:
                    When = (V1.SetWhen)(int)reader.Number();
                    break;
                default:
                    reader.Skip(tag);
                    break;
            }
        }
    }

    private void ReadBatch(int at, int length, int itemsMax)
    {
        bool hasValues = Kind == PackedKind.SetMany;
        var reader = new WireReader(_bytes.AsSpan(at, length));
        while (!reader.IsAtEnd)
        {
            uint tag = reader.Tag();
            switch (tag)
            {
                case (1 << 3) | WireReader.Varint:
                    Id = reader.Number();
                    break;
                case (2 << 3) | WireReader.Varint:
                    KeyLengths.Add((uint)reader.Number(), itemsMax);
                    break;
                case (2 << 3) | WireReader.Length:
                    AddRun(KeyLengths, reader.Bytes(), itemsMax);
                    break;
                case (3 << 3) | WireReader.Length:
                    _keys = RangeOf(ref reader, at);
                    break;
                case (4 << 3) | WireReader.Length:
                    _table = TextOf(ref reader, at);
                    break;
                case (5 << 3) | WireReader.Varint when hasValues:
                    ValueLengths.Add((uint)reader.Number(), itemsMax);
                    break;
                case (5 << 3) | WireReader.Length when hasValues:
                    AddRun(ValueLengths, reader.Bytes(), itemsMax);
                    break;
                case (6 << 3) | WireReader.Length when hasValues:
                    _values = RangeOf(ref reader, at);
                    break;
                case (7 << 3) | WireReader.Length when hasValues:
                    ReadTerms(reader.Bytes());
                    break;
                default:
                    reader.Skip(tag);
                    break;
            }
        }
    }

    private void ReadTerms(ReadOnlySpan<byte> bytes)
    {
        try
        {
            Terms ??= new V1.EntryTerms();
            Terms.MergeFrom(bytes);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw CallFailure.Of(StatusCode.InvalidArgument, PileStatus.Refused, $"The message is no protobuf message: {malformed.Message}");
        }
    }

    private Range TextOf(ref WireReader reader, int at)
    {
        Range range = RangeOf(ref reader, at);
        return Utf8.IsValid(_bytes.AsSpan(range)) ? range : throw CallFailure.Refused("The message is no protobuf message: its text is no UTF-8.");
    }

    private static Range RangeOf(ref WireReader reader, int at)
    {
        int length = reader.Bytes().Length;
        return new Range(at + reader.At - length, at + reader.At);
    }

    private static void AddRun(LengthList list, ReadOnlySpan<byte> run, int itemsMax)
    {
        var reader = new WireReader(run);
        while (!reader.IsAtEnd)
        {
            list.Add((uint)reader.Number(), itemsMax);
        }
    }
}
