// Watch: the changes of a table as a stream. Events are read from the cache's ring as fast as the client takes them; one that is too slow is told
// that it has lost some. Each reply says where it ends, so that a client that comes again goes on there.
using System;
using System.Buffers.Binary;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.Options;
using Pile.Cache;
using Pile.Server.Calls;
using Pile.Server.Tables;

namespace Pile.Server.Watching;

/// <summary>The call that watches. Thread-safe.</summary>
internal sealed class WatchCalls(ServerState state, WatchRoom room, IOptions<PileServerOptions> served)
{
    private const int ResumeBytes = 2 * sizeof(long);

    internal async Task RunAsync(V1.WatchRequest request, IServerStreamWriter<V1.WatchReply> replies, CancellationToken cancel)
    {
        CallLimits.Prefix(request.Prefix.Length, served.Value);
        PileEventPosition? after = request.Resume.IsEmpty ? null : PositionOf(request.Resume.Span);
        if (request.BeatMs is not 0 and (< ServerLimits.BeatMsMin or > ServerLimits.BeatMsMax))
        {
            throw CallFailure.Refused($"'beat_ms' is {request.BeatMs:N0}: it must be {ServerLimits.BeatMsMin:N0} to {ServerLimits.BeatMsMax:N0}, or 0 for a watch that only tells what changes.");
        }

        ServedTable table = state.Tables.Get(request.Table);
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(cancel, state.Stopping);
        room.Take(ServerLimits.WatchStreamBytes);
        try
        {
            PileWatch<byte[]> watch = table.Watches.Begin(after);
            try
            {
                await SendAsync(watch, request, replies, ends.Token).ConfigureAwait(false);
            }
            finally
            {
                table.Watches.End(watch);
            }
        }
        finally
        {
            room.Give(ServerLimits.WatchStreamBytes);
        }
    }

    private async Task SendAsync(PileWatch<byte[]> watch, V1.WatchRequest request, IServerStreamWriter<V1.WatchReply> replies, CancellationToken ends)
    {
        // The first one comes at once: from here on every change is told.
        var page = new WatchPage(request.Prefix, watch.Position);
        using WatchBeat? beat = request.BeatMs == 0 ? null : new WatchBeat(room.Time, request.BeatMs, ends);
        bool isDue = true;
        while (true)
        {
            ends.ThrowIfCancellationRequested();
            bool isAll = true;
            ulong readUs = beat?.NowUs ?? 0;
            while (watch.TryRead(out PileTableEvent<byte[]> told))
            {
                if (told.Kind == PileEventKinds.Lost && page.HasEvents)
                {
                    // What was before the loss ends there: a client that goes on from it is told of the loss again.
                    await replies.WriteAsync(page.Take(0), state.StoppingLate).ConfigureAwait(false);
                }

                if (page.Add(told))
                {
                    isDue = true;
                    isAll = false;
                    break;
                }
            }

            if (isDue || page.HasEvents || beat is { IsDue: true })
            {
                await replies.WriteAsync(page.Take(isAll ? readUs : 0), state.StoppingLate).ConfigureAwait(false);
                isDue = false;
                if (isAll && beat is not null)
                {
                    beat.IsDue = false;
                }
            }
            else if (!(beat is null ? await watch.WaitToReadAsync(ends).ConfigureAwait(false) : await beat.WaitAsync(watch).ConfigureAwait(false)))
            {
                ends.ThrowIfCancellationRequested();
                throw CallFailure.Of(StatusCode.NotFound, PileStatus.Disposed, "The table was dropped: it changes no more.");
            }
        }
    }

    private static PileEventPosition PositionOf(ReadOnlySpan<byte> resume) => resume.Length == ResumeBytes
        ? new PileEventPosition(BinaryPrimitives.ReadInt64LittleEndian(resume), BinaryPrimitives.ReadInt64LittleEndian(resume[sizeof(long)..]))
        : throw CallFailure.Refused($"'resume' has {resume.Length:N0} bytes and is nothing that a reply said. Leave it empty to begin with what changes from now on.");

    private static ByteString ResumeOf(PileEventPosition position)
    {
        Span<byte> bytes = stackalloc byte[ResumeBytes];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, position.Stream);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[sizeof(long)..], position.Number);
        return ByteString.CopyFrom(bytes);
    }

    /// <summary>A reply that is being filled.</summary>
    private sealed class WatchPage(ByteString prefix, PileEventPosition begin)
    {
        private PileEventPosition _end = begin;
        private V1.WatchReply _reply = new();
        private int _passed;
        private int _bytes;

        /// <summary>Whether there is something to be told.</summary>
        internal bool HasEvents => _reply.Events.Count > 0 || _reply.Lost;

        /// <summary>Adds an event, unless it is of a key that is not asked for.</summary>
        /// <returns>Whether the reply is to be sent before the next one.</returns>
        internal bool Add(in PileTableEvent<byte[]> told)
        {
            _end = told.Position;
            if (told.Kind == PileEventKinds.Lost)
            {
                _reply.Lost = true;
                return false;
            }

            byte[] key = told.Kind == PileEventKinds.TagRemoved ? Encoding.UTF8.GetBytes(told.Tag ?? "") : told.Key ?? [];
            if (told.Kind is PileEventKinds.TagRemoved or PileEventKinds.Cleared || key.AsSpan().StartsWith(prefix.Span))
            {
                _reply.Events.Add(new V1.WatchEvent { Kind = KindOf(told.Kind), Key = UnsafeByteOperations.UnsafeWrap(key) });
                _bytes += key.Length;
            }

            // One that has nothing to tell comes too, now and then: the place to go on from must not fall behind what is kept.
            return ++_passed >= ServerLimits.WatchEventsMax || _bytes >= ServerLimits.WatchReplyBytes;
        }

        /// <summary>The reply, and begins another one.</summary>
        /// <param name="readUs">Up to when everything is told with it; 0 where more is to come.</param>
        internal V1.WatchReply Take(ulong readUs)
        {
            V1.WatchReply reply = _reply;
            reply.ReadUs = readUs;
            reply.Resume = ResumeOf(_end);
            _reply = new V1.WatchReply();
            _passed = 0;
            _bytes = 0;
            return reply;
        }

        private static V1.WatchEvent.Types.Kind KindOf(PileEventKinds kind) => kind switch
        {
            PileEventKinds.Inserted or PileEventKinds.Replaced => V1.WatchEvent.Types.Kind.Set,
            PileEventKinds.Removed => V1.WatchEvent.Types.Kind.Removed,
            PileEventKinds.Expired => V1.WatchEvent.Types.Kind.Expired,
            PileEventKinds.Evicted => V1.WatchEvent.Types.Kind.Evicted,
            PileEventKinds.Cleared => V1.WatchEvent.Types.Kind.Cleared,
            _ => V1.WatchEvent.Types.Kind.TagRemoved,
        };
    }
}
