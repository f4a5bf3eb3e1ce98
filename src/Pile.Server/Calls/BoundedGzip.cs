// gzip for messages, with an end: what a message becomes is held against the limit of messages while it is unpacked, so that a small message
// can't become a large one, and is counted as what its call receives (CountedReader). Bytes that are no gzip are the client's mistake.
using System;
using System.Buffers.Binary;
using System.IO;
using System.IO.Compression;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Net.Compression;

namespace Pile.Server.Calls;

/// <summary>The compression that the server takes. Thread-safe.</summary>
internal sealed class BoundedGzip(int messageBytesMax) : ICompressionProvider
{
    /// <summary>How gRPC names it.</summary>
    internal const string Name = "gzip";

    // A gzip of nothing has 20 bytes (RFC 1952).
    private const int GzipBytesMin = 20;

    public string EncodingName => Name;

    public Stream CreateCompressionStream(Stream stream, CompressionLevel? compressionLevel) => new GZipStream(stream, compressionLevel ?? CompressionLevel.Fastest, leaveOpen: true);

    public Stream CreateDecompressionStream(Stream stream) => new Bounded(new GZipStream(stream, CompressionMode.Decompress, leaveOpen: true), LengthSaid(stream), messageBytesMax, CountedReader.Current);

    // GZipStream takes one that is cut for a shorter one; a gzip ends with the length of what it holds. Of nothing the framework's own makes no bytes.
    private static uint LengthSaid(Stream packed)
    {
        if (packed.Length is > 0 and < GzipBytesMin)
        {
            throw NoGzip("it is cut short.");
        }

        Span<byte> said = stackalloc byte[sizeof(uint)];
        said.Clear();
        if (packed.Length > 0)
        {
            packed.Position = packed.Length - sizeof(uint);
            packed.ReadExactly(said);
            packed.Position = 0;
        }

        return BinaryPrimitives.ReadUInt32LittleEndian(said);
    }

    private static Grpc.Core.RpcException NoGzip(string why) => CallFailure.Refused($"The message says that it is packed, and is no gzip: {why}");

    private sealed class Bounded(GZipStream inner, uint lengthSaid, int bytesMax, CountedReader? call) : Stream
    {
        private long _read;
        private bool _isOver;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => _read;
            set => throw new NotSupportedException();
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

        public override int Read(Span<byte> buffer)
        {
            // Until it has given bytes again: what is thrown here is told as it is.
            bool isAsked = !buffer.IsEmpty;
            _isOver |= isAsked;
            try
            {
                int bytes = isAsked ? Counted(inner.Read(buffer)) : 0;
                _isOver &= bytes == 0;
                return bytes;
            }
            catch (InvalidDataException malformed)
            {
                throw NoGzip(malformed.Message);
            }
        }

        // The message is in memory.
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(Read(buffer.Span));

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                inner.Dispose();
                if (!_isOver)
                {
                    // gRPC copies to memory of its own, to the end unless that fails, and would say of it no more than that it did: this goes in place of
                    // what it has thrown.
                    _isOver = true;
                    throw CallFailure.NoMemory(lengthSaid);
                }
            }

            base.Dispose(disposing);
        }

        private int Counted(int bytes)
        {
            _read += bytes;
            if (_read > bytesMax)
            {
                throw CallFailure.TooLarge($"The message has more than {bytesMax:N0} bytes when it is unpacked (MessageBytesMax).");
            }

            if (bytes == 0 && _read != lengthSaid)
            {
                throw NoGzip($"it becomes {_read:N0} bytes, and says {lengthSaid:N0}.");
            }

            call?.Unpack(_read);
            return bytes;
        }
    }
}
