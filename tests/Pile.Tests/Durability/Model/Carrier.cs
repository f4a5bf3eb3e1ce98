using System;

namespace Pile.Tests.Durability.Model;

/// <summary>Carries the fields of a state into bytes, or out of them again, by one and the same list of calls.</summary>
internal ref struct Carrier
{
    private readonly Span<byte> _bytes;
    private readonly bool _isLoading;

    internal Carrier(Span<byte> bytes, bool isLoading)
    {
        _bytes = bytes;
        _isLoading = isLoading;
    }

    /// <summary>Bytes carried so far.</summary>
    internal int Length { get; private set; }

    /// <summary>A number from -1 to 254.</summary>
    internal void Small(ref int value)
    {
        if (_isLoading)
        {
            value = _bytes[Length++] - 1;
        }
        else
        {
            _bytes[Length++] = checked((byte)(value + 1));
        }
    }

    internal void Flag(ref bool value)
    {
        int number = value ? 1 : 0;
        Small(ref number);
        value = number != 0;
    }

    /// <summary>Any number, 7 bits a byte, the last byte below 128.</summary>
    internal void Word(ref ulong value)
    {
        if (!_isLoading)
        {
            ulong rest = value;
            for (; rest > 127; rest >>= 7)
            {
                _bytes[Length++] = (byte)(rest | 128);
            }

            _bytes[Length++] = (byte)rest;
            return;
        }

        value = 0;
        byte read;
        int shift = 0;
        do
        {
            read = _bytes[Length++];
            value |= (ulong)(read & 127) << shift;
            shift += 7;
        }
        while (read > 127);
    }

    internal void Smalls(int[] values)
    {
        for (int index = 0; index < values.Length; index++)
        {
            Small(ref values[index]);
        }
    }
}
