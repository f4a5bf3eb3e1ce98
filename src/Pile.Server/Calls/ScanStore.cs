// Scans that are under way. A cursor names one that this server holds, and is good for one page: what a client has not got is never passed
// over silently, and a page that finds no room leaves its scan where it was. Scans that nobody goes on with end after a while, because each keeps
// its table's index from shrinking.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;
using Google.Protobuf;
using Grpc.Core;
using Pile.Cache;
using Pile.Cache.Files;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>The scans of all clients. Thread-safe.</summary>
internal sealed class ScanStore : IDisposable
{
    private const int CursorBytes = 16;

    private readonly Lock _gate = new();
    private readonly Dictionary<Guid, Scan> _idle = [];
    private readonly ReplyBudget _replying;
    private readonly Held _held;
    private readonly TimeProvider _time;
    private readonly ITimer _sweep;
    private int _open;

    public ScanStore(ReplyBudget replying, TimeProvider? time = null)
    {
        _replying = replying;
        _held = new Held(replying.BytesMax / 4);
        _time = time ?? TimeProvider.System;
        _sweep = _time.CreateTimer(_ => EndIdle(), null, ServerLimits.ScanIdle, ServerLimits.ScanIdle);
    }

    /// <summary>What counts the bytes of scans that wait for their next page.</summary>
    internal ByteBudget Holding => _held;

    /// <summary>The next page of a scan, or the first of a new one.</summary>
    internal V1.ScanReply Page(ServedTable table, V1.ScanRequest request, PileServerOptions options, ServerCallContext context)
    {
        CallLimits.Prefix(request.Prefix.Length, options);
        int entriesMax = request.EntriesMax switch
        {
            0 => ServerLimits.ScanEntriesDefault,
            <= ServerLimits.ScanEntriesMax => (int)request.EntriesMax,
            _ => throw CallFailure.Refused($"'entries_max' = {request.EntriesMax:N0} must lie between 0 and {ServerLimits.ScanEntriesMax:N0}."),
        };
        int bytesMax = int.Min((int)uint.Min(request.PageBytesMax == 0 ? ServerLimits.ScanBytesDefault : request.PageBytesMax, int.MaxValue), options.MessageBytesMax);
        if (bytesMax < ServerLimits.ScanBytesMin || (request.PageBytesMax != 0 && bytesMax != request.PageBytesMax))
        {
            throw CallFailure.Refused($"'page_bytes_max' = {request.PageBytesMax:N0} must be 0, or lie between {ServerLimits.ScanBytesMin:N0} and {options.MessageBytesMax:N0} (MessageBytesMax).");
        }

        // Room for all of the page before the cursor is taken: a scan whose page is refused stays where it was.
        long room = ReplyBudget.CountedOf(bytesMax);
        _replying.Take(room);
        Scan? scan = null;
        bool isKept = false;
        try
        {
            scan = request.Cursor.IsEmpty ? Begin(table, request) : Take(table, request);
            var page = new V1.ScanReply();
            bool isMore = scan.Fill(page, entriesMax, bytesMax, context.CancellationToken);

            // Before there is a cursor: a scan whose cursor nobody is told would be under way until it was idle for too long.
            long counted = long.Min(room, ReplyBudget.CountedOf(page.CalculateSize()));
            _replying.GiveWhenGone(context.GetHttpContext(), counted);
            room -= counted;
            if (isMore)
            {
                Hold(scan, isFirst: request.Cursor.IsEmpty);
                page.Cursor = Keep(scan);
                isKept = true;
            }

            return page;
        }
        catch (OutOfMemoryException) when (!request.Cursor.IsEmpty && scan is not null)
        {
            if (!scan.IsWhereItWas)
            {
                throw Lost("There was no memory for its page.");
            }

            Wait(scan);
            isKept = true;
            throw;
        }
        finally
        {
            _replying.Give(room);
            if (!isKept && scan is not null)
            {
                End(scan);
            }
        }
    }

    public void Dispose()
    {
        _sweep.Dispose();
        EndWhere(static _ => true);
    }

    /// <summary>Ends scans that were idle for too long.</summary>
    internal void EndIdle()
    {
        long now = _time.GetTimestamp();
        EndWhere(scan => _time.GetElapsedTime(scan.Seen, now) >= ServerLimits.ScanIdle);
    }

    private void EndWhere(Func<Scan, bool> isOver)
    {
        KeyValuePair<Guid, Scan>[] over;
        lock (_gate)
        {
            over = [.. _idle.Where(pair => isOver(pair.Value))];
            foreach ((Guid cursor, _) in over)
            {
                _ = _idle.Remove(cursor);
            }
        }

        foreach ((_, Scan scan) in over)
        {
            End(scan);
        }
    }

    private Scan Begin(ServedTable table, V1.ScanRequest request)
    {
        // Who breaks a scan off tells nobody: it makes room for one that is wanted.
        if (Interlocked.Increment(ref _open) > ServerLimits.ScansMax && !TryEndLongestIdle())
        {
            _ = Interlocked.Decrement(ref _open);
            throw CallFailure.Busy($"{ServerLimits.ScansMax} scans are under way, as many as there may be. Read one to its end, or wait until one that nobody goes on with is over.");
        }

        try
        {
            return new Scan(table, request);
        }
        catch
        {
            // The table was dropped meanwhile.
            _ = Interlocked.Decrement(ref _open);
            throw;
        }
    }

    private bool TryEndLongestIdle()
    {
        Scan? left;
        lock (_gate)
        {
            left = _idle.Values.MinBy(static scan => scan.Seen);
            if (left is null || _time.GetElapsedTime(left.Seen) < ServerLimits.ScanIdleWanted)
            {
                return false;
            }

            _ = _idle.Remove(left.Cursor);
        }

        End(left);
        return true;
    }

    private Scan Take(ServedTable table, V1.ScanRequest request)
    {
        Scan? scan = null;
        if (request.Cursor.Length == CursorBytes)
        {
            lock (_gate)
            {
                _ = _idle.Remove(new Guid(request.Cursor.Span), out scan);
            }
        }

        if (scan is null)
        {
            throw CallFailure.Of(
                StatusCode.FailedPrecondition, PileStatus.Stale, $"The cursor is none of this server's, or was used, or nobody went on with it for {ServerLimits.ScanIdle.TotalSeconds:N0} seconds, or for {ServerLimits.ScanIdleWanted.TotalSeconds:N0} with {ServerLimits.ScansMax:N0} others under way. Begin the scan anew.");
        }

        if (!scan.IsOf(table, request))
        {
            End(scan);
            throw CallFailure.Refused("The cursor is of a scan of another table, another prefix or another 'keys_only'. Begin the scan anew.");
        }

        return scan;
    }

    // What it held goes on counting while its page is made, so that no other scan takes its place.
    private void Hold(Scan scan, bool isFirst)
    {
        long more = scan.KeptBytes - scan.HeldBytes;
        if (isFirst)
        {
            _held.Take(more);
        }
        else if (!_held.TryTake(more))
        {
            throw Lost($"Scans that wait for their next page hold as much as they may: {_held.BytesMax:N0} bytes, a quarter of ReplyBudgetBytes.");
        }

        scan.HeldBytes = scan.KeptBytes;
    }

    // Its page is gone with the cursor: the same call would not find it again.
    private static RpcException Lost(string why) => CallFailure.Of(StatusCode.FailedPrecondition, PileStatus.Stale, $"The scan has ended. {why} Begin it anew.");

    private ByteString Keep(Scan scan)
    {
        byte[] cursor = RandomNumberGenerator.GetBytes(CursorBytes);
        scan.Cursor = new Guid(cursor);
        var told = ByteString.CopyFrom(cursor);
        Wait(scan);
        return told;
    }

    private void Wait(Scan scan)
    {
        scan.Seen = _time.GetTimestamp();
        lock (_gate)
        {
            _idle.Add(scan.Cursor, scan);
        }
    }

    private void End(Scan scan)
    {
        _held.Give(scan.HeldBytes);
        scan.Dispose();
        _ = Interlocked.Decrement(ref _open);
    }

    private sealed class Held(long bytesMax) : ByteBudget(
        bytesMax, $"Scans that wait for their next page hold as much as they may: {bytesMax:N0} bytes, a quarter of ReplyBudgetBytes. Read others to their end first.");

    // Between two pages it holds its prefix and copies of the keys of a few buckets, and of no value: one that no longer fits on a page is read again for the next.
    private sealed class Scan(ServedTable table, V1.ScanRequest request) : IDisposable
    {
        private readonly KeySteps _keys = new(table.Entries);
        private readonly ByteString _prefix = request.Prefix;
        private readonly bool _keysOnly = request.KeysOnly;
        private bool _isHeld;

        internal long Seen { get; set; }

        /// <summary>What its client has to show for the next page.</summary>
        internal Guid Cursor { get; set; }

        /// <summary>Bytes that it holds.</summary>
        internal long KeptBytes => _prefix.Length + _keys.HeldBytes;

        /// <summary>Bytes of it that are counted since it first waited.</summary>
        internal long HeldBytes { get; set; }

        /// <summary>Whether the page that was begun last took nothing of it.</summary>
        internal bool IsWhereItWas { get; private set; }

        public void Dispose() => _keys.Dispose();

        internal bool IsOf(ServedTable other, V1.ScanRequest request) => ReferenceEquals(table, other) && _prefix.Equals(request.Prefix) && _keysOnly == request.KeysOnly;

        /// <summary>Fills a page.</summary>
        /// <returns>Whether there may be more.</returns>
        internal bool Fill(V1.ScanReply page, int entriesMax, int bytesMax, CancellationToken cancel)
        {
            int bytes = 0;
            IsWhereItWas = false;
            for (int looks = 0; looks < ServerLimits.ScanLooksMax; looks++)
            {
                cancel.ThrowIfCancellationRequested();
                if (!_isHeld && !_keys.MoveNext())
                {
                    return false;
                }

                _isHeld = false;
                byte[] key = _keys.Current;
                if (!key.AsSpan().StartsWith(_prefix.Span))
                {
                    continue;
                }

                V1.ScanEntry? entry;
                try
                {
                    entry = EntryOf(key, bytesMax);
                }
                catch (OutOfMemoryException)
                {
                    // What is on the page is told, and this one is the first of the next; where nothing is on it, the page is asked for again.
                    _isHeld = true;
                    IsWhereItWas = page.Entries.Count == 0;
                    if (IsWhereItWas)
                    {
                        throw;
                    }

                    return true;
                }

                if (entry is null)
                {
                    continue;
                }

                if (key.Length + entry.Value.Length > bytesMax - bytes)
                {
                    // The first of the next page.
                    _isHeld = true;
                    return true;
                }

                page.Entries.Add(entry);
                bytes += key.Length + entry.Value.Length;
                if (page.Entries.Count == entriesMax)
                {
                    return true;
                }
            }

            return true;
        }

        /// <summary>The entry of a key; null when it has gone since the key was listed.</summary>
        private V1.ScanEntry? EntryOf(byte[] key, int bytesMax)
        {
            var entry = new V1.ScanEntry { Key = UnsafeByteOperations.UnsafeWrap(key) };
            int length = _keysOnly ? 0 : table.Entries.SizeOf(key);
            if (length > bytesMax - key.Length)
            {
                entry.ValueLeftOut = true;
                entry.ValueBytes = (ulong)length;
            }
            else if (!_keysOnly)
            {
                if (length < 0 || !table.Entries.TryCopyUnused(key, out byte[]? value))
                {
                    return null;
                }

                if (value.Length > bytesMax - key.Length)
                {
                    // Replaced by a longer one in between.
                    return EntryOf(key, bytesMax);
                }

                entry.Value = UnsafeByteOperations.UnsafeWrap(value);
            }

            return entry;
        }
    }
}
