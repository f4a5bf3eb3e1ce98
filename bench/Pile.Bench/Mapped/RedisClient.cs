using System;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;

namespace Pile.Bench.Mapped;

/// <summary>One connection that speaks as much of RESP as a SET takes. For one caller at a time.</summary>
internal sealed class RedisClient : IDisposable
{
    private static readonly byte[] _done = "+OK\r\n"u8.ToArray();
    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private byte[] _request = new byte[1024];
    private readonly byte[] _answer = new byte[4096];

    /// <summary>Connects.</summary>
    internal RedisClient(string path)
    {
        try
        {
            _socket.Connect(new UnixDomainSocketEndPoint(path));
        }
        catch
        {
            _socket.Dispose();
            throw;
        }
    }

    /// <summary>Sets a key, and returns when the server has said so.</summary>
    internal void Set(long key, ReadOnlySpan<byte> value)
    {
        int length = WriteSet(key, value);
        int sent = _socket.Send(_request.AsSpan(0, length));
        int got = 0;
        while (got < _done.Length)
        {
            got += Received(_socket.Receive(_answer.AsSpan(got)), sent);
        }

        ThrowUnlessDone(got);
    }

    /// <summary>As <see cref="Set"/>, without a thread that waits.</summary>
    internal async ValueTask SetAsync(long key, ReadOnlyMemory<byte> value)
    {
        int length = WriteSet(key, value.Span);
        int sent = await _socket.SendAsync(_request.AsMemory(0, length)).ConfigureAwait(false);
        int got = 0;
        while (got < _done.Length)
        {
            got += Received(await _socket.ReceiveAsync(_answer.AsMemory(got)).ConfigureAwait(false), sent);
        }

        ThrowUnlessDone(got);
    }

    private int WriteSet(long key, ReadOnlySpan<byte> value)
    {
        string name = key.ToString(CultureInfo.InvariantCulture);
        int length = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"*3\r\n$3\r\nSET\r\n${name.Length}\r\n{name}\r\n${value.Length}\r\n"), _request);
        value.CopyTo(_request.AsSpan(length));
        "\r\n"u8.CopyTo(_request.AsSpan(length + value.Length));
        return length + value.Length + 2;
    }

    private static int Received(int bytes, int sent) => bytes > 0 ? bytes : throw new IOException($"Redis ended the connection after {sent} bytes.");

    private void ThrowUnlessDone(int got)
    {
        if (!_answer.AsSpan(0, got).SequenceEqual(_done))
        {
            throw new IOException($"Redis answered {Encoding.ASCII.GetString(_answer, 0, got)}");
        }
    }

    /// <summary>Sets keys, all sent before the first answer is read.</summary>
    internal void SetMany(ReadOnlySpan<long> keys, Action<long, Span<byte>> writeKey, ReadOnlySpan<byte> value)
    {
        byte[] head = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"*3\r\n$3\r\nSET\r\n${Caches.CacheEntries.KeyBytes}\r\n"));
        byte[] middle = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"\r\n${value.Length}\r\n"));
        int length = head.Length + Caches.CacheEntries.KeyBytes + middle.Length + value.Length + 2;
        if (_request.Length < length * keys.Length)
        {
            _request = new byte[length * keys.Length];
        }

        for (int index = 0; index < keys.Length; index++)
        {
            Span<byte> one = _request.AsSpan(index * length, length);
            head.CopyTo(one);
            writeKey(keys[index], one.Slice(head.Length, Caches.CacheEntries.KeyBytes));
            middle.CopyTo(one[(head.Length + Caches.CacheEntries.KeyBytes)..]);
            value.CopyTo(one[^(value.Length + 2)..]);
            "\r\n"u8.CopyTo(one[^2..]);
        }

        for (int sent = 0; sent < length * keys.Length;)
        {
            sent += _socket.Send(_request.AsSpan(sent, (length * keys.Length) - sent));
        }

        for (int wanted = keys.Length * _done.Length; wanted > 0;)
        {
            int bytes = _socket.Receive(_answer.AsSpan(0, int.Min(_answer.Length / _done.Length * _done.Length, wanted)));
            wanted -= bytes > 0 ? bytes : throw new IOException("Redis ended the connection.");
            if (_answer.AsSpan(0, bytes).Contains((byte)'-'))
            {
                throw new IOException($"Redis answered {Encoding.ASCII.GetString(_answer, 0, bytes)}");
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();
}
