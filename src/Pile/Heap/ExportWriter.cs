// Writes an export's blocks: items gather in a body until it is large enough, a large payload goes out as a block of its own without
// being gathered. Everything passes through one buffer, in which the running checksum is made.
using System;
using System.Buffers.Binary;
using System.Threading;
using Pile.Codecs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>The blocks of one export. Not thread-safe.</summary>
/// <param name="write">Takes the bytes.</param>
/// <param name="cancellationToken">Looked at between blocks, and within large ones.</param>
internal sealed class ExportWriter(Action<ReadOnlyMemory<byte>> write, CancellationToken cancellationToken)
{
    /// <summary>Whether the export was cancelled: for who looks at much before the first block.</summary>
    internal CancellationToken Cancelled => cancellationToken;

    private readonly byte[] _buffer = new byte[FileLimits.ExportBufferBytes];
    private readonly WireWriter _body = new();
    private ExportBlockKind _kind;
    private uint _items;
    private uint _sum;
    private int _filled;

    /// <summary>Bytes written, those that are still in the buffer included.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Called at the end of each block.</summary>
    internal Action Ended { get; set; } = static () => { };

    /// <summary>Begins an item.</summary>
    /// <param name="kind">The kind of its block.</param>
    /// <returns>Where its one value is written.</returns>
    internal WireWriter BeginItem(ExportBlockKind kind)
    {
        if (kind != _kind || _body.Length >= FileLimits.ExportBlockBytes)
        {
            EndBlock();
            _kind = kind;
        }

        _items++;
        return _body;
    }

    /// <summary>Writes a slot with its object.</summary>
    internal void WriteObject(uint slot, uint generation, RecordCode code, ReadOnlySpan<byte> payload)
    {
        bool isAlone = payload.Length > ushort.MaxValue;
        if (isAlone)
        {
            EndBlock();
        }

        WireWriter body = BeginItem(ExportBlockKind.Objects);
        body.WriteArrayHeader(4);
        body.WriteUInt32(slot);
        body.WriteUInt32(generation);
        body.WriteInt32((int)code);
        if (!isAlone)
        {
            body.WriteBinary(payload);
            return;
        }

        body.Reserve(5);
        body.Store(WireCode.Bin32, BinaryPrimitives.ReverseEndianness((uint)payload.Length));
        EndBlock(payload);
    }

    /// <summary>Writes what is not written yet.</summary>
    internal void Complete()
    {
        EndBlock();
        Flush();
    }

    private void EndBlock(ReadOnlySpan<byte> tail = default)
    {
        if (_items == 0)
        {
            return;
        }

        Span<byte> frame = stackalloc byte[ExportBlock.PrefixBytes];
        new ExportBlock(_kind, _items, (uint)(_body.Length + tail.Length)).WritePrefix(frame);
        Put(frame);
        Put(_body.Written);
        Put(tail);
        ExportBlock.WriteSum(frame, _sum);
        Put(frame[..ExportBlock.SumBytes]);
        _body.Truncate(0);
        _items = 0;
        cancellationToken.ThrowIfCancellationRequested();
        Ended();
    }

    private void Put(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_filled == _buffer.Length)
            {
                Flush();
            }

            int piece = int.Min(bytes.Length, _buffer.Length - _filled);
            bytes[..piece].CopyTo(_buffer.AsSpan(_filled));
            _sum = Crc32C.Compute(_buffer.AsSpan(_filled, piece), _sum);
            _filled += piece;
            Bytes += piece;
            bytes = bytes[piece..];
        }
    }

    private void Flush()
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_filled > 0)
        {
            write(_buffer.AsMemory(0, _filled));
            _filled = 0;
        }
    }
}
