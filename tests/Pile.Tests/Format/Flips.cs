using System;
using Xunit;

namespace Pile.Tests.Format;

/// <summary>Damages a stored layout one bit at a time, and expects the reader to notice each.</summary>
internal static class Flips
{
    /// <summary>Flips every bit of <paramref name="bytes"/> in turn.</summary>
    /// <param name="bytes">A good layout; unchanged in the end.</param>
    /// <param name="problem">Reads it: null when it is good, else what is wrong.</param>
    internal static void AreNoticed(byte[] bytes, Func<byte[], string?> problem)
    {
        Assert.Null(problem(bytes));
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(string.IsNullOrEmpty(problem(bytes)), $"bit {bit % 8} of byte {bit / 8}");
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }
}
