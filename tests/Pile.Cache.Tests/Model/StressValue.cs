// Values that say whose they are: the key, a number, and bytes that follow from both, so that a reader sees another key's, or half of one.
using System;
using System.Buffers.Binary;

namespace Pile.Cache.Tests.Model;

/// <summary>Such values.</summary>
internal static class StressValue
{
    internal const int BytesMin = 16;

    internal static byte[] Of(int key, long number, int bytes)
    {
        byte[] value = new byte[int.Max(bytes, BytesMin)];
        value.AsSpan().Fill(Filling(key, number));
        BinaryPrimitives.WriteInt32LittleEndian(value, key);
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(sizeof(int)), number);
        return value;
    }

    /// <summary>The number of a value.</summary>
    /// <exception cref="InvalidOperationException">It is none of the key's.</exception>
    internal static long NumberOf(int key, ReadOnlySpan<byte> value)
    {
        if (value.Length < BytesMin)
        {
            throw new InvalidOperationException($"key {key}: a value of {value.Length} bytes");
        }

        int its = BinaryPrimitives.ReadInt32LittleEndian(value);
        long number = BinaryPrimitives.ReadInt64LittleEndian(value[sizeof(int)..]);
        int wrong = value[(sizeof(int) + sizeof(long))..].IndexOfAnyExcept(Filling(key, number));
        return its == key && wrong < 0 ? number : throw new InvalidOperationException($"key {key}: a value of key {its} number {number}, wrong at {wrong} of {value.Length}");
    }

    private static byte Filling(int key, long number) => (byte)((key * 31) + (number * 17));
}
