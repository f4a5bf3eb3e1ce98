// What goes out on a connection: data of one writer as far as both windows allow, and answers to the other side, in one buffer; whoever finds
// nobody sending sends. A write that the socket takes at once costs no memory.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Http2;

/// <summary>The output of a connection with one stream. Thread-safe; <see cref="TryWrite"/> by one at a time.</summary>
internal sealed class FrameOutput(Stream transport, int stream)
{
    private readonly Lock _gate = new();
    private readonly OneSignal _flushed = new();

    // Under the gate, but for what is being sent.
    private ArrayBufferWriter<byte> _pending = new(16 << 10);
    private ArrayBufferWriter<byte> _sending = new(16 << 10);
    private long _connectionWindow = ClientLimits.WindowBytesFirst;
    private long _streamWindow = ClientLimits.WindowBytesFirst;
    private int _firstWindow = ClientLimits.WindowBytesFirst;
    private int _frameBytesMax = ClientLimits.FrameBytesMax;
    private bool _isSending;
    private bool _isWaited;
    private Exception? _broken;

    /// <summary>Set when there is room again, or the connection has ended.</summary>
    internal OneSignal Room { get; } = new();

    /// <summary>Sends bytes that are frames already.</summary>
    internal void Send(ReadOnlySpan<byte> frames)
    {
        bool starts;
        lock (_gate)
        {
            if (_broken is not null)
            {
                return;
            }

            // Data stays below its own limit: the rest are answers to what the other side asks without reading.
            if (_pending.WrittenCount > ClientLimits.OutputBytesMax * 2)
            {
                throw new InvalidDataException("It asks for more answers than it reads.");
            }

            _pending.Write(frames);
            starts = StartsLocked();
        }

        if (starts)
        {
            _ = SendAsync();
        }
    }

    /// <summary>Sends a frame without data.</summary>
    internal void Send(FrameKind kind, byte flags, int on, ReadOnlySpan<byte> payload)
    {
        Span<byte> bytes = stackalloc byte[Frame.HeadBytes + 64];
        new Frame(kind, flags, on, payload.Length).Write(bytes);
        payload.CopyTo(bytes[Frame.HeadBytes..]);
        Send(bytes[..(Frame.HeadBytes + payload.Length)]);
    }

    /// <summary>Sends of data what the windows and the buffer have room for.</summary>
    /// <param name="data">What is to be sent; afterwards what is left of it.</param>
    /// <returns>Whether all is on its way or in the buffer. Otherwise <see cref="Room"/> is set once there is some, and the next try is made behind it.</returns>
    /// <exception cref="IOException">The connection has ended.</exception>
    internal bool TryWrite(ref ReadOnlyMemory<byte> data)
    {
        bool starts;
        lock (_gate)
        {
            if (_broken is not null)
            {
                throw new IOException(_broken.Message, _broken);
            }

            data = data[AppendLocked(data.Span)..];
            starts = StartsLocked();
            _isWaited = data.Length > 0;
            if (_isWaited)
            {
                Room.Reset();
            }
        }

        if (starts)
        {
            _ = SendAsync();
        }

        return data.Length == 0;
    }

    /// <summary>The other side takes so many bytes more, on the connection or on the stream.</summary>
    /// <exception cref="InvalidDataException">The window can't be so large, or not grow by nothing.</exception>
    internal void Widen(bool isStream, int bytes)
    {
        bool wakes;
        lock (_gate)
        {
            ref long window = ref isStream ? ref _streamWindow : ref _connectionWindow;
            window += bytes;
            if (bytes == 0 || window > int.MaxValue)
            {
                throw new InvalidDataException("Its window can't be so.");
            }

            wakes = WakesLocked();
        }

        Wake(wakes);
    }

    /// <summary>The other side has said what it takes.</summary>
    /// <param name="settings">Pairs of a number of 16 bits and a value of 32.</param>
    /// <exception cref="InvalidDataException">A value is out of its range.</exception>
    internal void Set(ReadOnlySpan<byte> settings)
    {
        bool wakes;
        lock (_gate)
        {
            for (; settings.Length >= 6; settings = settings[6..])
            {
                uint value = BinaryPrimitives.ReadUInt32BigEndian(settings[2..]);
                switch (BinaryPrimitives.ReadUInt16BigEndian(settings))
                {
                    case FrameSettings.FirstWindow:
                        _streamWindow += (long)value - _firstWindow;
                        _firstWindow = (int)value;
                        if (value > int.MaxValue || _streamWindow > int.MaxValue)
                        {
                            throw new InvalidDataException("Its window can't be so.");
                        }

                        break;
                    case FrameSettings.FrameBytes:
                        _frameBytesMax = value is >= 16_384 and <= 16_777_215 ? (int)value : throw new InvalidDataException($"Frames of {value} bytes.");
                        break;
                    default:
                        break;
                }
            }

            wakes = WakesLocked();
        }

        Wake(wakes);
    }

    /// <summary>Nothing goes out any more: who writes is told why.</summary>
    internal void Break(Exception why)
    {
        bool wakes;
        lock (_gate)
        {
            _broken ??= why;
            wakes = WakesLocked();
        }

        Wake(wakes);
    }

    // As much as goes into frames, windows and the buffer.
    private int AppendLocked(ReadOnlySpan<byte> data)
    {
        int done = 0;
        while (done < data.Length)
        {
            int room = ClientLimits.OutputBytesMax - _pending.WrittenCount;
            int count = (int)long.Min(long.Min(data.Length - done, int.Min(_frameBytesMax, room)), long.Min(_connectionWindow, _streamWindow));
            if (count <= 0)
            {
                break;
            }

            Span<byte> target = _pending.GetSpan(Frame.HeadBytes + count);
            new Frame(FrameKind.Data, 0, stream, count).Write(target);
            data.Slice(done, count).CopyTo(target[Frame.HeadBytes..]);
            _pending.Advance(Frame.HeadBytes + count);
            _connectionWindow -= count;
            _streamWindow -= count;
            done += count;
        }

        return done;
    }

    private bool StartsLocked()
    {
        bool starts = !_isSending && _pending.WrittenCount > 0;
        _isSending |= starts;
        return starts;
    }

    private bool WakesLocked()
    {
        bool wakes = _isWaited;
        _isWaited = false;
        return wakes;
    }

    private void Wake(bool wakes)
    {
        if (wakes)
        {
            Room.Set();
        }
    }

    // By one at a time, until there is nothing left. It does not fail: the connection does.
    private async Task SendAsync()
    {
        try
        {
            while (true)
            {
                bool wakes;
                lock (_gate)
                {
                    if (_pending.WrittenCount == 0 || _broken is not null)
                    {
                        _isSending = false;
                        return;
                    }

                    (_pending, _sending) = (_sending, _pending);
                    _pending.ResetWrittenCount();
                    wakes = WakesLocked();
                }

                Wake(wakes);
                await transport.WriteAsync(_sending.WrittenMemory).ConfigureAwait(false);
                Task flush = transport.FlushAsync();
                if (!flush.IsCompleted)
                {
                    await FlushedAsync(flush).ConfigureAwait(false);
                }

                await flush.ConfigureAwait(false);
            }
        }
        catch (Exception failure)
        {
            Break(failure);
        }
    }

    // A flush that ends in the moment in which the wait for it begins is told by a thread of the pool, which may have none, where it is awaited itself.
    private ValueTask FlushedAsync(Task flush)
    {
        _flushed.Reset();
        _ = flush.ContinueWith(static (_, flushed) => ((OneSignal)flushed!).Set(), _flushed, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return _flushed.Task;
    }
}
