using System;
using System.Linq;
using System.Text;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class AsciiTextTests
{
    private const byte Untouched = 0xee;

    [Fact]
    public void AsciiOfEveryLengthIsNarrowedAndWidenedAndNothingBesideIt()
    {
        for (int length = 0; length < 70; length++)
        {
            string text = new([.. Enumerable.Range(0, length).Select(static index => (char)((index * 7 % 127) + 1))]);
            byte[] bytes = [.. Enumerable.Repeat(Untouched, length + 2)];

            Assert.True(AsciiText.TryNarrow(text, ref bytes[1]));

            Assert.Equal([Untouched, .. Encoding.ASCII.GetBytes(text), Untouched], bytes);
            Assert.Equal(text, AsciiText.Widen(bytes.AsSpan(1, length)));
        }
    }

    [Fact]
    public void OneOtherCharAnywhereIsNoticed()
    {
        byte[] target = new byte[70];
        for (int length = 1; length < 70; length++)
        {
            for (int at = 0; at < length; at++)
            {
                foreach (char other in "\u0080\u00ff\u0100\u4141\uff00\ud800")
                {
                    char[] text = [.. Enumerable.Repeat('a', length)];
                    text[at] = other;
                    Assert.False(AsciiText.TryNarrow(text, ref target[0]), $"{(int)other:x} at {at} of {length}");
                }

                byte[] bytes = [.. Enumerable.Repeat((byte)'a', length)];
                bytes[at] = 0x80;
                Assert.Null(AsciiText.Widen(bytes));
            }
        }
    }
}
