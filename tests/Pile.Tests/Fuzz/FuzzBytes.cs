using System;
using System.Buffers.Binary;
using System.Collections.Generic;

namespace Pile.Tests.Fuzz;

/// <summary>Changes of bytes that know no format but lengths, counts and the first bytes of MessagePack and protobuf.</summary>
internal static class FuzzBytes
{
    private const int RunMax = 64;

    /// <summary>Bytes changed at one to four places; their count may change.</summary>
    internal static byte[] Change(byte[] source, Random random, IReadOnlyList<byte[]> others)
    {
        List<byte> bytes = [.. source];
        for (int changes = random.Next(1, 5); changes > 0; changes--)
        {
            ChangeOnce(bytes, random, others);
        }

        return [.. bytes];
    }

    /// <summary>Changes one place and no length.</summary>
    internal static void ChangeInPlace(Span<byte> bytes, Random random)
    {
        if (bytes.IsEmpty)
        {
            return;
        }

        int at = random.Next(bytes.Length);
        int width = 1 << random.Next(4);
        switch (random.Next(5))
        {
            case 0:
                bytes[at] ^= (byte)(1 << random.Next(8));
                break;
            case 1:
                bytes[at] = (byte)(0xc0 + random.Next(0x20));
                break;
            case 2 when bytes.Length - at >= width:
                SetNumber(bytes.Slice(at, width), random, isBig: random.Next(2) == 0);
                break;
            case 3:
                // As words and halves of them lie.
                at &= ~(width - 1);
                if (bytes.Length - at >= width)
                {
                    SetNumber(bytes.Slice(at, width), random, isBig: false);
                }

                break;
            default:
                random.NextBytes(bytes.Slice(at, int.Min(random.Next(1, RunMax), bytes.Length - at)));
                break;
        }
    }

    /// <summary>Puts another number in the place of one.</summary>
    internal static void SetNumber(Span<byte> bytes, Random random, bool isBig)
    {
        Span<byte> word = stackalloc byte[sizeof(ulong)];
        word.Clear();
        bytes.CopyTo(isBig ? word[^bytes.Length..] : word);
        ulong old = isBig ? BinaryPrimitives.ReadUInt64BigEndian(word) : BinaryPrimitives.ReadUInt64LittleEndian(word);
        ulong next = FuzzNumbers.Next(random, old, bytes.Length * 8);
        if (isBig)
        {
            BinaryPrimitives.WriteUInt64BigEndian(word, next);
            word[^bytes.Length..].CopyTo(bytes);
        }
        else
        {
            BinaryPrimitives.WriteUInt64LittleEndian(word, next);
            word[..bytes.Length].CopyTo(bytes);
        }
    }

    private static void ChangeOnce(List<byte> bytes, Random random, IReadOnlyList<byte[]> others)
    {
        if (bytes.Count == 0)
        {
            bytes.AddRange(others[random.Next(others.Count)]);
            return;
        }

        int at = random.Next(bytes.Count);
        int run = int.Min(random.Next(1, random.Next(2) == 0 ? 9 : RunMax), bytes.Count - at);
        byte[] other = others[random.Next(others.Count)];
        int from = random.Next(other.Length + 1);
        int taken = int.Min(random.Next(1, RunMax), other.Length - from);
        switch (random.Next(9))
        {
            case 0:
                bytes.RemoveRange(at, run);
                break;
            case 1:
                bytes.InsertRange(at, bytes.GetRange(at, run));
                break;
            case 2:
                bytes.InsertRange(at, new ArraySegment<byte>(other, from, taken));
                break;
            case 3:
                for (int index = 0; index < taken && at + index < bytes.Count; index++)
                {
                    bytes[at + index] = other[from + index];
                }

                break;
            case 4 when random.Next(8) == 0:
                bytes.RemoveRange(at, bytes.Count - at);
                break;
            default:
                Span<byte> whole = System.Runtime.InteropServices.CollectionsMarshal.AsSpan(bytes);
                ChangeInPlace(whole, random);
                break;
        }
    }
}
