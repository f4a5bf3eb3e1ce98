using System;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class RawValueTests
{
    [Fact]
    public void ACopyIsAllOfTheBytesAndNoneBehindThem()
    {
        byte[] source = new byte[RawValue.CopyHereBytesMax + 40];
        new Random(7).NextBytes(source);
        byte[] target = new byte[source.Length + 2];
        for (int bytes = 0; bytes < source.Length; bytes++)
        {
            Array.Fill(target, (byte)0xEE);

            RawValue.Copy(source.AsSpan(0, bytes), target.AsSpan(1));

            Assert.Equal(0xEE, target[0]);
            Assert.True(source.AsSpan(0, bytes).SequenceEqual(target.AsSpan(1, bytes)), $"{bytes} bytes differ");
            Assert.False(target.AsSpan(bytes + 1).ContainsAnyExcept((byte)0xEE), $"something was stored behind {bytes} bytes");
        }
    }
}
