using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using Pile.Cache.Keys;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Hashes of keys: stored, so that they never change, and seeded, so that who chooses keys can't choose their hashes.</summary>
public sealed class KeyHashTests
{
    private const int Keys = 10_000;

    // The words that the former hash gave a factor of zero for.
    private static readonly ulong[] _words = [0xD6E8FEB86659FD93UL, 0xA0761D6478BD642FUL, 0x9E3779B97F4A7C15UL, 0];

    /// <summary>Worked out by a program in another language that was written from docs/FORMAT.md.</summary>
    [Theory]
    [InlineData(0, 0xA2D85A04F7292714UL, 0x46E0CEFD9022D166UL)]
    [InlineData(1, 0x2CF6024FDCBD1235UL, 0x7F0AB055A4F24931UL)]
    [InlineData(2, 0xDB218899BCBAFF80UL, 0xC42C7475AEB814F9UL)]
    [InlineData(3, 0x9DB3C6441C8B92C1UL, 0xE09B5DC12620A29CUL)]
    [InlineData(4, 0x35F6865363C1AD66UL, 0xCB88EE493BDF40EFUL)]
    [InlineData(7, 0x5909F5128E9C37DCUL, 0xD6827F812F4FFCCEUL)]
    [InlineData(8, 0xA78F92003060226AUL, 0xAD2204470FBCD5F9UL)]
    [InlineData(9, 0x45F2333B3A937D46UL, 0xAEC0FF595BAC5186UL)]
    [InlineData(16, 0x1EDACDD2C0CC0F43UL, 0xEF170AF6128AB2D4UL)]
    [InlineData(17, 0xF3D4CED23DEE63DEUL, 0xA10985AB1FD83410UL)]
    [InlineData(32, 0x681A849A3FB5691EUL, 0x42B2AC1973E13B72UL)]
    [InlineData(33, 0x96D2B30E0C1AEFC1UL, 0xCD0D593EA56777AAUL)]
    [InlineData(48, 0xED29796FB7351D48UL, 0xB6F12FF9E56DDD88UL)]
    [InlineData(100, 0xF25C8C2ACF9573BBUL, 0x43A4EBF24DB0DB2CUL)]
    public void TheHashOfBytesIsTheSameForEver(int length, ulong former, ulong today)
    {
        byte[] key = [.. Enumerable.Range(0, length).Select(index => (byte)((index * 37) + length))];
        const ulong Seed = 0x0123456789ABCDEFUL;
        Assert.Equal(former, KeyHash.FormerOf(key, Seed));
        Assert.Equal(former, PileKeyComparers.Ordinal.Hash(key, Seed));
        Assert.Equal(today, KeyHash.Of(key, Seed));
        Assert.Equal(today, PileKeyComparers.HashOf(key, Seed));
    }

    /// <summary>Keys with a word that makes a factor of the former hash zero, where the rest of the key differs.</summary>
    [Theory]
    [InlineData(16)]
    [InlineData(32)]
    [InlineData(40)]
    public void KeysThatAreChosenDoNotCollide(int length)
    {
        var random = new Random(length);
        bool hasFormerCollided = false;
        foreach ((ulong word, int at) in _words.SelectMany(word => Enumerable.Range(0, length / sizeof(ulong)).Select(place => (word, place * sizeof(ulong)))))
        {
            byte[] key = new byte[length];
            ulong seed = (ulong)random.NextInt64();
            HashSet<ulong> former = [];
            HashSet<ulong> today = [];
            for (int number = 0; number < Keys; number++)
            {
                int free = at == 0 ? sizeof(ulong) : at - sizeof(ulong);
                BinaryPrimitives.WriteInt64LittleEndian(key.AsSpan(free), number);
                BinaryPrimitives.WriteUInt64LittleEndian(key.AsSpan(at), word);
                former.Add(KeyHash.FormerOf(key, seed));
                today.Add(KeyHash.Of(key, seed));
            }

            hasFormerCollided |= former.Count == 1;
            Assert.Equal(Keys, today.Count);
        }

        Assert.True(hasFormerCollided, "these keys are not those that the former hash was weak for");
    }

    /// <summary>Each bit of key and seed changes each bit of the hash about every other time.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(8)]
    [InlineData(12)]
    [InlineData(16)]
    [InlineData(24)]
    [InlineData(56)]
    public void EachBitChangesHalfOfTheHash(int length)
    {
        const int Tries = 2_000;
        var random = new Random(length);
        byte[] key = new byte[length];
        for (int bit = 0; bit < (length + sizeof(ulong)) * 8; bit++)
        {
            int[] changes = new int[64];
            for (int attempt = 0; attempt < Tries; attempt++)
            {
                random.NextBytes(key);
                ulong seed = (ulong)random.NextInt64() ^ ((ulong)random.NextInt64() << 32);
                ulong before = KeyHash.Of(key, seed);
                if (bit < length * 8)
                {
                    key[bit / 8] ^= (byte)(1 << (bit % 8));
                }
                else
                {
                    seed ^= 1UL << (bit - (length * 8));
                }

                for (ulong changed = before ^ KeyHash.Of(key, seed); changed != 0; changed &= changed - 1)
                {
                    changes[BitOperations.TrailingZeroCount(changed)]++;
                }
            }

            Assert.All(changes, count => Assert.InRange(count, Tries * 0.4, Tries * 0.6));
        }
    }

    /// <summary>Numbers that follow each other, as keys are, fall into buckets as if by chance.</summary>
    [Theory]
    [InlineData(sizeof(int), 1)]
    [InlineData(sizeof(long), 1)]
    [InlineData(sizeof(long), 1 << 16)]
    [InlineData(16, 1)]
    public void KeysInOrderSpreadOverBuckets(int length, long step)
    {
        const int Buckets = 1 << 12;
        const int PerBucket = 64;
        int[] counts = new int[Buckets];
        int[] tops = new int[Buckets];
        byte[] key = new byte[16];
        for (long number = 0; number < Buckets * PerBucket; number++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(key, number * step);
            ulong hash = KeyHash.Of(key.AsSpan(0, length), seed: 0x1234_5678_9ABC_DEF0);
            counts[(uint)hash % Buckets]++;
            tops[hash >> 52]++;
        }

        foreach (int[] found in new[] { counts, tops })
        {
            // Of a chi-square of 4,095 degrees: its mean, and six times its deviation of 90.5 to either side.
            double square = found.Sum(static count => Math.Pow(count - PerBucket, 2) / PerBucket);
            Assert.InRange(square, 4_095 - 543, 4_095 + 543);
        }
    }
}
