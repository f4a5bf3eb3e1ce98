using System;
using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Pile.Tests.Model;

/// <summary>Bytes that say whose they are: key 8, version 4, length 4, then a stream that follows from key and version.
/// Any mixture of two objects, any byte out of place and any wrong length shows.</summary>
internal static class Content
{
    internal const int HeaderBytes = 16;
    private const ulong Golden = 0x9E3779B97F4A7C15;

    /// <summary>Fills <paramref name="target"/>, which is at least <see cref="HeaderBytes"/> long.</summary>
    internal static void Fill(Span<byte> target, long key, int version)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, key);
        BinaryPrimitives.WriteInt32LittleEndian(target[8..], version);
        BinaryPrimitives.WriteInt32LittleEndian(target[12..], target.Length);
        ulong state = Seed(key, version);
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(target[HeaderBytes..]);
        for (int index = 0; index < words.Length; index++)
        {
            words[index] = Next(ref state);
        }

        ulong last = Next(ref state);
        for (int index = HeaderBytes + (words.Length * sizeof(ulong)); index < target.Length; index++, last >>= 8)
        {
            target[index] = (byte)last;
        }
    }

    /// <summary>A new array of filled bytes.</summary>
    internal static byte[] Make(long key, int version, int bytes)
    {
        byte[] content = new byte[bytes];
        Fill(content, key, version);
        return content;
    }

    /// <summary>Whether the bytes are whole and one object's; tells which.</summary>
    internal static bool IsWhole(ReadOnlySpan<byte> bytes, out long key, out int version)
    {
        key = version = 0;
        if (bytes.Length < HeaderBytes || BinaryPrimitives.ReadInt32LittleEndian(bytes[12..]) != bytes.Length)
        {
            return false;
        }

        key = BinaryPrimitives.ReadInt64LittleEndian(bytes);
        version = BinaryPrimitives.ReadInt32LittleEndian(bytes[8..]);
        ulong state = Seed(key, version);
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes[HeaderBytes..]);
        ulong differs = 0;
        foreach (ulong word in words)
        {
            differs |= word ^ Next(ref state);
        }

        ulong last = Next(ref state);
        for (int index = HeaderBytes + (words.Length * sizeof(ulong)); index < bytes.Length; index++, last >>= 8)
        {
            differs |= bytes[index] ^ (last & byte.MaxValue);
        }

        return differs == 0;
    }

    /// <summary>Throws unless the bytes are whole and of the key; returns the version.</summary>
    internal static int Require(ReadOnlySpan<byte> bytes, long key, string where)
    {
        if (!IsWhole(bytes, out long found, out int version))
        {
            throw new ModelMismatchException("wrong content", $"{where}: {bytes.Length:N0} bytes of key {key} are not whole (they say key {found}, version {version})");
        }

        return found == key
            ? version
            : throw new ModelMismatchException("another object", $"{where}: asked for key {key}, read key {found} version {version}");
    }

    private static ulong Seed(long key, int version) => ((ulong)key * Golden) ^ ((ulong)(uint)version << 17) ^ 0x5DEECE66D;

    private static ulong Next(ref ulong state)
    {
        state += Golden;
        ulong mixed = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9;
        return mixed ^ (mixed >> 32);
    }
}
