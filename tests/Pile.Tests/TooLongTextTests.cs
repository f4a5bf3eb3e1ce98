using System;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests;

/// <summary>Text of more bytes than an int counts. Its pages are never touched but the first, so that it takes address space alone.</summary>
public sealed class TooLongTextTests
{
    [Theory]
    [InlineData((Limits.PayloadBytesMax / 2) + 1)]
    [InlineData((1 << 30) + 1)]
    public void TextThatIsTooLongIsRefusedAsSuch(int chars)
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("before");
        char[] text = new char[chars];
        text[0] = '\u4E2D';
        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.PutString(text));
        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.UpdateString(pointer, text));
        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.TryPutString(text, out _));
        Assert.Equal("before", pile.It.Get<string>(pointer));
    }
}
