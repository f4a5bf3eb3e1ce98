// Kestrel hands what it writes to TLS in blocks of 4 KiB, each of which becomes a record of its own and a write to the socket of its own; and it
// reads in such blocks. A record may have 16 KiB: so much is gathered here before it is encrypted, and read at once (decision 44).
using System.IO.Pipelines;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Pile.Server.Running;

/// <summary>A connection by TLS whose bytes travel in records as large as there may be.</summary>
internal static class WholeRecords
{
    private const int RecordBytes = 16 << 10;

    /// <summary>Puts itself between TLS and HTTP/2: comes after UseHttps.</summary>
    internal static void UseOn(IConnectionBuilder builder) => _ = builder.Use(static next => connection => RunAsync(connection, next));

    private static async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        System.Net.Security.SslStream stream = connection.Features.GetRequiredFeature<ISslStreamFeature>().SslStream;
        IDuplexPipe before = connection.Transport;
        var input = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: RecordBytes, minimumReadSize: RecordBytes / 4, leaveOpen: true, useZeroByteReads: true));
        var output = PipeWriter.Create(stream, new StreamPipeWriterOptions(minimumBufferSize: RecordBytes, leaveOpen: true));
        connection.Transport = new Both(input, output);
        try
        {
            await next(connection).ConfigureAwait(false);
        }
        finally
        {
            connection.Transport = before;
            await input.CompleteAsync().ConfigureAwait(false);
            await output.CompleteAsync().ConfigureAwait(false);
        }
    }

    private sealed class Both(PipeReader input, PipeWriter output) : IDuplexPipe
    {
        public PipeReader Input => input;

        public PipeWriter Output => output;
    }
}
