using System;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

public sealed class TextTests
{
    private static readonly int[] _bounds = [0x80, 0x100, 0x101, 0x1_0000];

    public static TheoryData<int, char> Shapes()
    {
        var shapes = new TheoryData<int, char>();
        foreach (int length in (int[])[0, 1, 2, 31, 32, 33, 255, 256, 4000, 8188, 16376, 65_535, 65_536, 1 << 20])
        {
            foreach (char filling in (char[])['a', '\0', '\u007F', '\u0080', '\u00FF', '\u0100', '\uD800', '\uDFFF', '\uFFFF'])
            {
                shapes.Add(length, filling);
            }
        }

        return shapes;
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public void TextOfOneCharRepeatedComesBackAsItWas(int length, char filling)
    {
        string text = new(filling, length);
        using var pile = new CheckedPile();

        AssertComesBack(pile.It, text);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void RandomTextComesBackAsItWas(int seed)
    {
        var random = new Random(seed);
        using var pile = new CheckedPile();
        for (int round = 0; round < 500; round++)
        {
            int bound = _bounds[random.Next(_bounds.Length)];
            string text = string.Create(random.Next(200), (random, bound), static (chars, state) =>
            {
                for (int index = 0; index < chars.Length; index++)
                {
                    chars[index] = (char)state.random.Next(state.bound);
                }
            });
            AssertComesBack(pile.It, text);
        }
    }

    [Fact]
    public void OneWideCharAnywhereMakesTheWholeTextWide()
    {
        using var pile = new CheckedPile();
        for (int length = 1; length < 70; length++)
        {
            for (int place = 0; place < length; place++)
            {
                char[] chars = Enumerable.Repeat('\u00FF', length).ToArray();
                Assert.True(Text.IsNarrow(chars));
                chars[place] = '\u0100';
                Assert.False(Text.IsNarrow(chars));
                AssertComesBack(pile.It, new string(chars));
            }
        }
    }

    [Fact]
    public void NarrowTextTakesOneByteACharAndWideTextTwo()
    {
        using var pile = new CheckedPile();
        using PileLease narrow = pile.It.Lease(pile.It.PutString("\u00FFab"));
        using PileLease wide = pile.It.Lease(pile.It.PutString("\u0100ab"));

        Assert.Equal((PileKind.NarrowString, 3), (narrow.Kind, narrow.Length));
        Assert.Equal((PileKind.WideString, 6), (wide.Kind, wide.Length));
    }

    private static void AssertComesBack(ObjectPile pile, string text)
    {
        PilePointer span = pile.PutString(text);
        PilePointer typed = pile.Put(text);
        Assert.Equal(text, pile.Get<string>(span), StringComparer.Ordinal);
        Assert.Equal(text, pile.Get<string>(typed), StringComparer.Ordinal);
        Assert.Equal(text, pile.Get<object>(typed));
        pile.UpdateString(span, "other");
        Assert.Equal("other", pile.Get<string>(span));
        pile.UpdateString(span, text);
        Assert.Equal(text, pile.Get<string>(span), StringComparer.Ordinal);
        Assert.True(pile.Delete(span));
        Assert.True(pile.Delete(typed));
    }
}
