// The last events of a table, in a fixed number of bytes: the newest takes the place of the oldest, whoever has not read that yet. So a slow
// reader costs nobody anything, and is told by the numbers how many events it has missed. All readers share it, each with a place of its own.
using System;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Pile.Primitives;

namespace Pile.Cache.Events;

/// <summary>Events in the order in which they took effect. Thread-safe. Its lock is the last that anybody takes, and is held for a copy of a key.</summary>
/// <param name="bytes">How many bytes they may take.</param>
internal sealed class EventRing(int bytes)
{
    /// <summary>Bytes of an event before its key: kind 1, zero 1, key bytes 2, zero 4; number of the version 8; its time 8; of one that replaces another
    /// the same of the former version.</summary>
    private const int HeadBytes = 24;

    private const int VersionBytes = 16;

    private readonly byte[] _bytes = new byte[bytes];
    private long _first;
    private long _end;
    private long _firstNumber = 1;
    private long _nextNumber = 1;
    private TaskCompletionSource? _more;
    private bool _isOver;

    /// <summary>Held by whoever adds, so that what it tells and what it saw of others' events agree.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>What tells this ring's numbers from those of others.</summary>
    internal long Stream { get; } = BinaryPrimitives.ReadInt64LittleEndian(RandomNumberGenerator.GetBytes(sizeof(long)));

    /// <summary>Takes the gate, whether or not the thread is interrupted meanwhile, which it is told at its next wait: whoever tells holds a chain, and what
    /// it tells has taken place.</summary>
    internal void EnterAnyhow() => _ = Gate.EnterAnyhow();

    /// <summary>Adds an event. With the gate.</summary>
    internal void AddLocked(PileEventKinds kind, PileEntryVersion version, PileEntryVersion former, scoped ReadOnlySpan<byte> key)
    {
        if (_isOver)
        {
            return;
        }

        int headBytes = HeadBytesOf(kind);
        int length = headBytes + key.Length;
        Span<byte> head = stackalloc byte[HeadBytes + VersionBytes];
        while (_end + length - _first > _bytes.Length)
        {
            _first += LengthAt(_first);
            _firstNumber++;
        }

        head.Clear();
        head[0] = (byte)kind;
        BinaryPrimitives.WriteUInt16LittleEndian(head[2..], (ushort)key.Length);
        Write(head[8..], version);
        Write(head[HeadBytes..], former);
        CopyIn(_end, head[..headBytes]);
        CopyIn(_end + headBytes, key);
        _end += length;
        _nextNumber++;
        WakeLocked();
    }

    /// <summary>Where a reader begins.</summary>
    /// <param name="after">The event after which; null for what comes now.</param>
    /// <param name="isKnown">Whether it is one of this ring.</param>
    internal EventCursor Begin(PileEventPosition? after, out bool isKnown)
    {
        EventCursor cursor;
        long number;
        lock (Gate)
        {
            isKnown = after is not { } position || (position.Stream == Stream && position.Number >= 0 && position.Number < _nextNumber);
            number = isKnown && after is { } known ? known.Number + 1 : _nextNumber;
            cursor = number == _nextNumber ? new EventCursor(_end, number) : new EventCursor(_first, _firstNumber);
        }

        // A few at a time: who adds must not wait until all that is kept was passed.
        while (cursor.Number < number)
        {
            lock (Gate)
            {
                cursor = cursor.Offset < _first ? new EventCursor(_first, _firstNumber) : cursor;
                for (int passed = 0; passed < CacheLimits.EventsPassed && cursor.Number < number; passed++)
                {
                    cursor = new EventCursor(cursor.Offset + LengthAt(cursor.Offset), cursor.Number + 1);
                }
            }
        }

        return cursor.Number == number ? cursor : new EventCursor(-1, number);
    }

    /// <summary>Reads the next event, or that some are missing.</summary>
    /// <param name="cursor">Where the reader stands; moved on.</param>
    /// <param name="key">Where to copy the bytes of its key; made larger where it is too short.</param>
    /// <param name="facts">The event; when some are missing only their count, and the number of the last of them.</param>
    /// <returns>False when there is nothing new.</returns>
    internal bool TryRead(ref EventCursor cursor, ref byte[] key, out EventFacts facts)
    {
        lock (Gate)
        {
            if (cursor.Offset < _first)
            {
                facts = new EventFacts(PileEventKinds.Lost, 0, default, default, _firstNumber - 1, _firstNumber - cursor.Number);
                cursor = new EventCursor(_first, _firstNumber);
                return true;
            }

            if (cursor.Offset == _end)
            {
                facts = default;
                return false;
            }

            Span<byte> head = stackalloc byte[HeadBytes + VersionBytes];
            CopyOut(cursor.Offset, head[..HeadBytes]);
            int headBytes = HeadBytesOf((PileEventKinds)head[0]);
            CopyOut(cursor.Offset + HeadBytes, head[HeadBytes..headBytes]);
            int keyBytes = KeyBytesOf(head);
            if (keyBytes > key.Length)
            {
                key = new byte[int.Max(keyBytes, key.Length * 2)];
            }

            CopyOut(cursor.Offset + headBytes, key.AsSpan(0, keyBytes));
            facts = new EventFacts((PileEventKinds)head[0], keyBytes, Read(head[8..]), headBytes > HeadBytes ? Read(head[HeadBytes..]) : default, cursor.Number, 0);
            cursor = new EventCursor(cursor.Offset + headBytes + keyBytes, cursor.Number + 1);
            return true;
        }
    }

    /// <summary>What to wait for until there is something behind a place.</summary>
    /// <param name="cursor">The place.</param>
    /// <returns>A task that is done when there may be; null when there will never be.</returns>
    internal Task? Beyond(EventCursor cursor)
    {
        lock (Gate)
        {
            if (cursor.Offset != _end)
            {
                return Task.CompletedTask;
            }

            // What waits continues on the thread pool, and not under the locks of whoever adds.
            return _isOver ? null : (_more ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>Lets all who wait look again.</summary>
    internal void Wake()
    {
        using (Gate.EnterAnyhow())
        {
            WakeLocked();
        }
    }

    /// <summary>Takes no more events: what is there can be read.</summary>
    internal void End()
    {
        using (Gate.EnterAnyhow())
        {
            _isOver = true;
            WakeLocked();
        }
    }

    private static int HeadBytesOf(PileEventKinds kind) => kind == PileEventKinds.Replaced ? HeadBytes + VersionBytes : HeadBytes;

    private static int KeyBytesOf(ReadOnlySpan<byte> head) => BinaryPrimitives.ReadUInt16LittleEndian(head[2..]);

    private static void Write(Span<byte> target, PileEntryVersion version)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, version.Number);
        BinaryPrimitives.WriteInt64LittleEndian(target[sizeof(long)..], version.CreatedMs);
    }

    private static PileEntryVersion Read(ReadOnlySpan<byte> source) =>
        new(BinaryPrimitives.ReadInt64LittleEndian(source), BinaryPrimitives.ReadInt64LittleEndian(source[sizeof(long)..]));

    private int LengthAt(long offset)
    {
        Span<byte> head = stackalloc byte[HeadBytes];
        CopyOut(offset, head);
        return HeadBytesOf((PileEventKinds)head[0]) + KeyBytesOf(head);
    }

    private void WakeLocked()
    {
        _more?.SetResult();
        _more = null;
    }

    private void CopyIn(long offset, ReadOnlySpan<byte> source)
    {
        int start = (int)(offset % _bytes.Length);
        int together = int.Min(source.Length, _bytes.Length - start);
        source[..together].CopyTo(_bytes.AsSpan(start));
        source[together..].CopyTo(_bytes);
    }

    private void CopyOut(long offset, Span<byte> target)
    {
        int start = (int)(offset % _bytes.Length);
        int together = int.Min(target.Length, _bytes.Length - start);
        _bytes.AsSpan(start, together).CopyTo(target);
        _bytes.AsSpan(0, target.Length - together).CopyTo(target[together..]);
    }
}
