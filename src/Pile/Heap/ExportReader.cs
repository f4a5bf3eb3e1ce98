// Reads an export's blocks, each whole and with its checksum compared before anything in it is looked at. It reads no byte behind the
// last block. Nothing is believed: a length is only a wish until its bytes have come.
using System;
using System.Buffers;
using System.Globalization;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>The blocks of one export. Not thread-safe.</summary>
/// <param name="read">Gives bytes, at least one; none at the end.</param>
/// <param name="cancellationToken">Looked at before each read.</param>
internal sealed class ExportReader(Func<Memory<byte>, int> read, CancellationToken cancellationToken) : IDisposable
{
    private const uint BodyBytesMax = Limits.PayloadBytesMax + FileLimits.ExportBlockBytes + (1 << 20);
    private readonly byte[] _prefix = new byte[ExportBlock.PrefixBytes];
    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(2 * FileLimits.ExportBlockBytes);
    private int _bodyBytes;
    private long _start;
    private uint _sum;

    /// <summary>Bytes read.</summary>
    internal long Bytes { get; private set; }

    /// <summary>The items of the block that was read last; valid until the next.</summary>
    internal ReadOnlySpan<byte> Body => _buffer.AsSpan(0, _bodyBytes);

    /// <summary>Reads the first block.</summary>
    /// <exception cref="PileFormatException">The stream does not begin as an export does.</exception>
    internal ExportBlock ReadHeader()
    {
        int filled = Fill(_prefix);
        if (filled < _prefix.Length || !ExportBlock.TryReadPrefix(_prefix, out ExportBlock block) || block.Kind != ExportBlockKind.Header)
        {
            throw NoExport();
        }

        return ReadBody(block);
    }

    /// <summary>Reads the next block.</summary>
    /// <exception cref="PileCorruptedException">It is damaged, or the stream ends before it does.</exception>
    internal ExportBlock Read()
    {
        _start = Bytes;
        if (Fill(_prefix) < _prefix.Length)
        {
            throw Ended();
        }

        if (!ExportBlock.TryReadPrefix(_prefix, out ExportBlock block) || block.BodyBytes > BodyBytesMax)
        {
            throw Damaged(-ExportBlock.PrefixBytes, "this is not how a block begins");
        }

        return ReadBody(block);
    }

    /// <summary>The exception for damage of the block that was read last.</summary>
    /// <param name="offset">Where in its body.</param>
    /// <param name="what">What is wrong.</param>
    internal PileCorruptedException Damaged(int offset, string what) => new(string.Create(
        CultureInfo.InvariantCulture, $"The export is damaged at byte {_start + ExportBlock.PrefixBytes + offset:N0}: {what.TrimEnd('.')}. Nothing of it was kept."));

    /// <summary>The exception for a stream that does not begin as an export does.</summary>
    internal static PileFormatException NoExport() => new("The stream is not an export of a pile: it does not begin as one.");

    /// <inheritdoc/>
    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
        _bodyBytes = 0;
    }

    private ExportBlock ReadBody(in ExportBlock block)
    {
        int wanted = (int)uint.Min(block.BodyBytes, BodyBytesMax) + ExportBlock.SumBytes;
        int filled = 0;
        while (filled < wanted)
        {
            if (filled == _buffer.Length)
            {
                Grow(int.Min(wanted, _buffer.Length * 2));
            }

            int end = int.Min(wanted, _buffer.Length);
            if (Fill(_buffer.AsMemory(filled, end - filled)) < end - filled)
            {
                throw Ended();
            }

            filled = end;
        }

        _bodyBytes = wanted - ExportBlock.SumBytes;
        _sum = Crc32C.Compute(Body, Crc32C.Compute(_prefix, _sum));
        ReadOnlySpan<byte> sum = _buffer.AsSpan(_bodyBytes, ExportBlock.SumBytes);
        if (!ExportBlock.IsSum(sum, _sum))
        {
            throw Damaged(-ExportBlock.PrefixBytes, string.Create(CultureInfo.InvariantCulture, $"the checksum of the block that begins there, and of all before it, is not 0x{_sum:x8}"));
        }

        _sum = Crc32C.Compute(sum, _sum);
        return block;
    }

    private int Fill(Memory<byte> target)
    {
        int filled = 0;
        while (filled < target.Length)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int got = read(target[filled..]);
            if (got <= 0)
            {
                break;
            }

            filled += got;
        }

        Bytes += filled;
        return filled;
    }

    private void Grow(int bytes)
    {
        byte[] larger = ArrayPool<byte>.Shared.Rent(bytes);
        _buffer.CopyTo(larger, 0);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }

    private PileCorruptedException Ended() => new(string.Create(
        CultureInfo.InvariantCulture, $"The export ends at byte {Bytes:N0}, within the block that begins at byte {_start:N0} or before it: it was cut off. Nothing of it was kept."));
}
