// Reads MessagePack values from stored bytes. Nothing is believed: each length is held against the bytes that remain before
// anything is allocated, and whatever does not fit is a PileCorruptedException that says where.
// Integers are taken in any width that holds their value, as the specification allows.
using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>A MessagePack reader.</summary>
internal ref struct WireReader
{
    private const ulong TicksMask = (1UL << 62) - 1;
    private readonly ReadOnlySpan<byte> _bytes;
    private int _position;

    internal WireReader(ReadOnlySpan<byte> bytes) => _bytes = bytes;

    /// <summary>Where the next value begins.</summary>
    internal int Position
    {
        readonly get => _position;
        set => _position = value;
    }

    /// <summary>All bytes, read and not read.</summary>
    internal readonly ReadOnlySpan<byte> All => _bytes;

    /// <summary>How many.</summary>
    internal readonly int Length => _bytes.Length;

    /// <summary>Bytes not read yet.</summary>
    internal readonly int Remaining
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _bytes.Length - _position;
    }

    /// <summary>The first byte of the next value.</summary>
    internal readonly byte Peek()
    {
        if ((uint)_position >= (uint)_bytes.Length)
        {
            Throw.CorruptedValue("it ends early", _position);
        }

        return _bytes[_position];
    }

    /// <summary>Takes a nil, if one is next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReadNil()
    {
        if (Peek() != WireCode.Nil)
        {
            return false;
        }

        _position++;
        return true;
    }

    internal bool ReadBool()
    {
        byte code = Next();
        if (code is not (WireCode.True or WireCode.False))
        {
            _ = Unexpected("a bool", code);
        }

        return code == WireCode.True;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int ReadInt32()
    {
        if ((uint)_position < (uint)_bytes.Length && _bytes[_position] <= WireCode.FixIntMax)
        {
            return _bytes[_position++];
        }

        return ReadLongInt32();
    }

    internal long ReadInt64()
    {
        byte code = Next();
        switch (code)
        {
            case <= WireCode.FixIntMax:
                return code;
            case >= WireCode.NegativeFixInt:
                return (sbyte)code;
            case WireCode.UInt8:
                return Next();
            case WireCode.UInt16:
                return BinaryPrimitives.ReadUInt16BigEndian(Take(2));
            case WireCode.UInt32:
                return BinaryPrimitives.ReadUInt32BigEndian(Take(4));
            case WireCode.UInt64:
                ulong value = BinaryPrimitives.ReadUInt64BigEndian(Take(8));
                if (value > long.MaxValue)
                {
                    Throw.CorruptedValueOf($"{value} does not fit the field", _position);
                }

                return (long)value;
            case WireCode.Int8:
                return (sbyte)Next();
            case WireCode.Int16:
                return BinaryPrimitives.ReadInt16BigEndian(Take(2));
            case WireCode.Int32:
                return BinaryPrimitives.ReadInt32BigEndian(Take(4));
            case WireCode.Int64:
                return BinaryPrimitives.ReadInt64BigEndian(Take(8));
            default:
                Unexpected("an integer", code);
                return 0;
        }
    }

    internal ulong ReadUInt64()
    {
        if (Peek() == WireCode.UInt64)
        {
            _position++;
            return BinaryPrimitives.ReadUInt64BigEndian(Take(8));
        }

        return (ulong)ReadRange(0, long.MaxValue);
    }

    internal double ReadDouble()
    {
        Expect(WireCode.Float64, "a double");
        return BitConverter.UInt64BitsToDouble(BinaryPrimitives.ReadUInt64BigEndian(Take(8)));
    }

    /// <summary>An array header. Every element takes a byte, so the count is at most the bytes that remain.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int ReadArrayHeader() => TryReadShortHeader(out int count) ? count : ReadLongArrayHeader();

    /// <summary>Takes an array header of one byte, if one is next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReadShortHeader(out int count)
    {
        ReadOnlySpan<byte> bytes = _bytes;
        int position = _position;
        count = (uint)position < (uint)bytes.Length ? bytes[position] - WireCode.FixArray : -1;
        if ((uint)count >= 16 || count >= bytes.Length - position)
        {
            return false;
        }

        _position = position + 1;
        return true;
    }

    /// <summary>Takes an array header and the integer behind it, which counts as an element. False when something else is next: then
    /// the position is no longer what it was.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReadTag(out int count, out int number)
    {
        ReadOnlySpan<byte> bytes = _bytes;
        int position = _position;
        if ((uint)(position + 1) < (uint)bytes.Length && bytes[position] - WireCode.FixArray is > 0 and < 16 and int few && few < bytes.Length - position
            && bytes[position + 1] <= WireCode.FixIntMax)
        {
            (count, number) = (few, bytes[position + 1]);
            _position = position + 2;
            return true;
        }

        return TryReadLongTag(out count, out number);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadLongTag(out int count, out int number)
    {
        count = WireTypes.Of(Peek()) == WireType.Array ? ReadArrayHeader() : 0;
        bool isTagged = count > 0 && WireTypes.Of(Peek()) == WireType.Integer;
        number = isTagged ? ReadInt32() : 0;
        return isTagged;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReadLongArrayHeader()
    {
        byte code = Next();
        long count = code switch
        {
            >= WireCode.FixArray and < WireCode.FixText => code & 15,
            WireCode.Array16 => BinaryPrimitives.ReadUInt16BigEndian(Take(2)),
            WireCode.Array32 => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            _ => Unexpected("an array", code),
        };
        if (count > Remaining)
        {
            TooMany(count);
        }

        return (int)count;
    }

    /// <summary>Bytes, in place.</summary>
    internal ReadOnlySpan<byte> ReadBinary()
    {
        byte code = Next();
        long length = code switch
        {
            WireCode.Bin8 => Next(),
            WireCode.Bin16 => BinaryPrimitives.ReadUInt16BigEndian(Take(2)),
            WireCode.Bin32 => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            _ => Unexpected("bytes", code),
        };
        return Take(length);
    }

    internal DateTime ReadDateTime() => ToDateTime(ReadFixed(WireCode.FixExt8, WireCode.DateTime, 8));

    internal Guid ReadGuid() => new(ReadFixed(WireCode.FixExt16, WireCode.Guid, 16), bigEndian: true);

    /// <summary>The bytes of an extension of a length that has a first byte of its own, which is how it is written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ReadOnlySpan<byte> ReadFixed(byte first, byte code, int length)
    {
        ReadOnlySpan<byte> bytes = _bytes;
        int position = _position;
        if (bytes.Length - position < length + 2 || bytes[position] != first || bytes[position + 1] != code)
        {
            return ReadExtension(code, length);
        }

        _position = position + 2 + length;
        return bytes.Slice(position + 2, length);
    }

    /// <summary>The bytes of an extension that must have a code, and a length unless that is -1.</summary>
    internal ReadOnlySpan<byte> ReadExtension(byte code, int length)
    {
        ReadOnlySpan<byte> bytes = ReadExtension(out byte found);
        if (found != code || (length >= 0 && bytes.Length != length))
        {
            WrongExtension(found, bytes.Length, code);
        }

        return bytes;
    }

    /// <summary>The bytes of the next extension.</summary>
    internal ReadOnlySpan<byte> ReadExtension(out byte code)
    {
        byte first = Next();
        if (first is >= WireCode.FixExt1 and <= WireCode.FixExt16)
        {
            code = Next();
            return Take(1 << (first - WireCode.FixExt1));
        }

        long length = first switch
        {
            WireCode.Ext8 => Next(),
            WireCode.Ext16 => BinaryPrimitives.ReadUInt16BigEndian(Take(2)),
            WireCode.Ext32 => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            _ => Unexpected("an extension", first),
        };
        code = Next();
        return Take(length);
    }

    /// <summary>The code of the extension that is next, 0 when something else is.</summary>
    internal readonly byte PeekExtension()
    {
        byte first = Peek();
        int at = _position + first switch
        {
            >= WireCode.FixExt1 and <= WireCode.FixExt16 => 1,
            WireCode.Ext8 => 2,
            WireCode.Ext16 => 3,
            WireCode.Ext32 => 5,
            _ => int.MaxValue - _position,
        };
        return at < _bytes.Length ? _bytes[at] : (byte)0;
    }

    /// <summary>An integer within a range.</summary>
    internal long ReadRange(long min, long max)
    {
        long value = ReadInt64();
        if (value < min || value > max)
        {
            Throw.CorruptedValueOf($"{value:N0} does not fit the field", _position);
        }

        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReadLongInt32()
    {
        // The usual ones of more than a byte, then all others.
        ReadOnlySpan<byte> next = _bytes[_position..];
        if (next.Length > sizeof(ushort))
        {
            switch (next[0])
            {
                case WireCode.UInt8:
                    _position += 2;
                    return next[1];
                case WireCode.UInt16:
                    _position += 3;
                    return BinaryPrimitives.ReadUInt16BigEndian(next[1..]);
                case WireCode.UInt32 when next.Length > sizeof(uint) && next[1] < 0x80:
                    _position += 5;
                    return BinaryPrimitives.ReadInt32BigEndian(next[1..]);
                default:
                    break;
            }
        }

        return (int)ReadRange(int.MinValue, int.MaxValue);
    }

    private readonly DateTime ToDateTime(ReadOnlySpan<byte> bytes)
    {
        ulong bits = BinaryPrimitives.ReadUInt64BigEndian(bytes);
        if ((bits & TicksMask) > (ulong)DateTime.MaxValue.Ticks)
        {
            Throw.CorruptedValue("ticks beyond DateTime.MaxValue", _position);
        }

        return RawValue.Cast<ulong, DateTime>(bits);
    }

    /// <summary>The next byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte Next()
    {
        byte code = Peek();
        _position++;
        return code;
    }

    /// <summary>The next bytes, in place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadOnlySpan<byte> Take(long bytes)
    {
        if (bytes > Remaining)
        {
            TooFew(bytes);
        }

        ReadOnlySpan<byte> taken = _bytes.Slice(_position, (int)bytes);
        _position += (int)bytes;
        return taken;
    }

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void TooFew(long bytes) => Throw.CorruptedValueOf($"{bytes:N0} bytes wanted where {Remaining:N0} remain", _position);

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void WrongExtension(byte found, int length, byte wanted) =>
        Throw.CorruptedValueOf($"extension {found} of {length} bytes where extension {wanted} belongs", _position);

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void TooMany(long count) => Throw.CorruptedValueOf($"{count:N0} elements in {Remaining:N0} bytes", _position);

    internal void Expect(byte code, string what)
    {
        byte found = Next();
        if (found != code)
        {
            Unexpected(what, found);
        }
    }

    /// <summary>Fails over a first byte that belongs to something else.</summary>
    [DoesNotReturn]
    internal readonly long Unexpected(string what, byte code)
    {
        Throw.CorruptedValueOf($"byte 0x{code:x2} where {what} belongs", _position - 1);
        return 0;
    }
}
