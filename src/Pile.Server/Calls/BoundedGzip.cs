// gzip for messages, with an end: what a message becomes is held against the limit of messages while it is unpacked, so that a small message
// can't become a large one, and is counted as what its call receives (CountedReader).
using System.IO;
using System.IO.Compression;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Net.Compression;

namespace Pile.Server.Calls;

/// <summary>The compression that the server takes. Thread-safe.</summary>
internal sealed class BoundedGzip(int messageBytesMax) : ICompressionProvider
{
    public string EncodingName => "gzip";

    public Stream CreateCompressionStream(Stream stream, CompressionLevel? compressionLevel) => new GZipStream(stream, compressionLevel ?? CompressionLevel.Fastest, leaveOpen: true);

    public Stream CreateDecompressionStream(Stream stream) => new Bounded(new GZipStream(stream, CompressionMode.Decompress, leaveOpen: true), messageBytesMax, CountedReader.Current);

    private sealed class Bounded(GZipStream inner, int bytesMax, CountedReader? call) : Stream
    {
        private long _read;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new System.NotSupportedException();

        public override long Position
        {
            get => _read;
            set => throw new System.NotSupportedException();
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => Counted(inner.Read(buffer, offset, count));

        public override int Read(System.Span<byte> buffer) => Counted(inner.Read(buffer));

        public override async ValueTask<int> ReadAsync(System.Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            Counted(await inner.ReadAsync(buffer, cancellationToken).ConfigureAwait(false));

        public override long Seek(long offset, SeekOrigin origin) => throw new System.NotSupportedException();

        public override void SetLength(long value) => throw new System.NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new System.NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                inner.Dispose();
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

            call?.Unpack(_read);
            return bytes;
        }
    }
}
