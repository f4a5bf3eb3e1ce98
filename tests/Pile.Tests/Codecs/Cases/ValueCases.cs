using System;
using System.Linq;
using System.Numerics;
using System.Runtime.InteropServices;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 53 to 61: single values, in places of their type, in boxes and in arrays.</summary>
public sealed class ValueCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case053_TextsOfEveryKindAndLength(string plan)
    {
        using var pile = new CasePile(plan);
        string?[] texts = ["", "\0", "a\0b", "\ud800", "\udc00\ud800", "a\ud83d", "\ud83d\ude00", null, new string('m', 1 << 20), new string('\u20ac', 1 << 20), .. new[] { 31, 32, 255, 256, 65535, 65536 }.Select(static length => new string('x', length))];
        pile.Back(texts);
        foreach (string? text in texts)
        {
            pile.Back(new CaseTypes.Box<string> { Value = text });
            pile.Back(new CaseTypes.Pair { First = text });
            if (text is not null)
            {
                Assert.Equal(text, pile.Back(text));
                Assert.Equal(text, pile.Back<object>(text));
            }
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case054_TextsWhoseHeaderGrowsWithTheirBytes(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (int boundary in new[] { 31, 255, 65535 })
        {
            foreach (char letter in "\u00e9\u20ac")
            {
                for (int chars = (boundary / 3) - 2; chars <= boundary + 2; chars += boundary < 100 ? 1 : boundary / 40)
                {
                    pile.Back(new CaseTypes.Pair { First = new string(letter, chars), Second = "behind" });
                    pile.Back(new CaseTypes.Box<string> { Value = new string('a', chars - 1) + letter });
                }
            }
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case055_EveryBitOfDateTime(string plan)
    {
        using var pile = new CasePile(plan);
        DateTime[] times =
        [
            DateTime.MinValue, DateTime.MaxValue, new(5, DateTimeKind.Unspecified), new(5, DateTimeKind.Utc), new(5, DateTimeKind.Local), Raw(0xC8D0_0000_0000_0000), Raw(0x88D0_0000_0000_0000),
        ];
        Values(pile, times);
        Assert.Equal(MemoryMarshal.AsBytes(times.AsSpan()).ToArray(), MemoryMarshal.AsBytes(pile.BackAsObject(times).AsSpan()).ToArray());
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case056_OffsetsOfFourteenHours(string plan)
    {
        using var pile = new CasePile(plan);
        Values(pile, [DateTimeOffset.MinValue, DateTimeOffset.MaxValue, new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.FromHours(14)), new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.FromHours(-14)), new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.FromMinutes(345)), new DateTimeOffset(DateTime.MaxValue.Ticks, TimeSpan.FromHours(14)), new DateTimeOffset(0, TimeSpan.FromHours(-14))]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case057_EveryBitOfDecimal(string plan)
    {
        using var pile = new CasePile(plan);
        Values(pile, [0m, 0.0m, 1m, 1.0m, 1.00m, new decimal(0, 0, 0, true, 1), new decimal(0, 0, 0, true, 0), decimal.MaxValue, decimal.MinValue, new decimal(1, 0, 0, false, 28), new decimal(-1, -1, -1, true, 28), 255m, 256m, new decimal(0, 1, 0, false, 0), new decimal(0, 0, 1, true, 5), ulong.MaxValue]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case058_EveryBitOfFloats(string plan)
    {
        using var pile = new CasePile(plan);
        ulong[] bits = [0, 1, 0x8000_0000_0000_0000, 0x7FF0_0000_0000_0000, 0xFFF0_0000_0000_0000, 0x7FF0_0000_0000_0001, 0x7FF8_0000_0000_0000, 0xFFF8_1234_5678_9ABC, 0x7FF7_FFFF_FFFF_FFFF, 0x3FF0_0000_0000_0000];
        Values(pile, [.. bits.Select(BitConverter.UInt64BitsToDouble)]);
        uint[] bits32 = [0, 1, 0x8000_0000, 0x7F80_0000, 0xFF80_0000, 0x7F80_0001, 0x7FC0_0000, 0xFFC1_2345, 0x7FBF_FFFF];
        Values(pile, [.. bits32.Select(BitConverter.UInt32BitsToSingle)]);
        Values(pile, [BitConverter.UInt16BitsToHalf(0x7c01), BitConverter.UInt16BitsToHalf(0x8000), Half.MaxValue]);
        pile.Back(new Complex(BitConverter.UInt64BitsToDouble(bits[5]), -0.0));
        pile.BackAsObject(new Vector3(BitConverter.UInt32BitsToSingle(bits32[5]), -0.0f, 1));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case059_BigIntegers(string plan)
    {
        using var pile = new CasePile(plan);
        Values(pile, [BigInteger.Zero, BigInteger.One, BigInteger.MinusOne, BigInteger.Pow(10, 400), -BigInteger.Pow(10, 400), int.MinValue, int.MaxValue, uint.MaxValue, long.MinValue, ulong.MaxValue, 127, 128, -128, -129, BigInteger.Pow(2, 127)]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case060_EdgesOfIntegers(string plan)
    {
        using var pile = new CasePile(plan);
        long[] edges = [0, 1, -1, -32, -33, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536, int.MaxValue, int.MinValue, int.MaxValue + 1L, int.MinValue - 1L, uint.MaxValue, uint.MaxValue + 1L, long.MaxValue, long.MinValue];
        Values(pile, edges);
        Values(pile, [.. edges.Select(static edge => unchecked((ulong)edge))]);
        Values(pile, [.. edges.Select(static edge => unchecked((int)edge))]);
        Values(pile, [.. edges.Select(static edge => unchecked((uint)edge))]);
        Values(pile, [.. edges.Select(static edge => unchecked((short)edge))]);
        Values(pile, [.. edges.Select(static edge => unchecked((ushort)edge))]);
        Values(pile, [.. edges.Select(static edge => unchecked((byte)edge))]);
        Values(pile, [.. edges.Select(static edge => unchecked((sbyte)edge))]);
        Values(pile, [.. edges.Select(static edge => unchecked((char)edge))]);
        Values(pile, [Int128.MinValue, Int128.MaxValue, Int128.Zero, Int128.NegativeOne, ulong.MaxValue]);
        Values(pile, [UInt128.MaxValue, UInt128.Zero, ulong.MaxValue]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case061_AGuidStandsInItsOrderForAForeignReader(string plan)
    {
        using var pile = new CasePile(plan);
        var guid = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff");
        Values(pile, [guid, Guid.Empty, Guid.AllBitsSet]);
        Assert.Contains("x4:00112233445566778899aabbccddeeff", WireWalk.TextOf(pile.BytesOf(new CaseTypes.Pair { First = guid })), StringComparison.Ordinal);
        Assert.Contains("x4:00112233445566778899aabbccddeeff", WireWalk.TextOf(pile.BytesOf(new CaseTypes.Box<Guid> { Value = guid })), StringComparison.Ordinal);
    }

    /// <summary>Values at the root, in a box, in a field, as nullable ones, in an array and in a list.</summary>
    private static void Values<T>(CasePile pile, T[] values)
        where T : struct
    {
        foreach (T value in values)
        {
            pile.Back(value);
            pile.BackAsObject(value);
            pile.Back(new CaseTypes.Box<T> { Value = value });
            pile.Back(new CaseTypes.Twin<T?, T> { First = value, Second = value });
        }

        pile.BackAsObject(values);
        pile.Back(new System.Collections.Generic.List<T>(values));
        pile.Back(values.Cast<object>().ToArray());
        pile.BackAsObject(values.Concat(Enumerable.Repeat(values[0], 100)).ToArray());
    }

    private static DateTime Raw(ulong bits) => MemoryMarshal.Cast<ulong, DateTime>(new ReadOnlySpan<ulong>(in bits))[0];
}
