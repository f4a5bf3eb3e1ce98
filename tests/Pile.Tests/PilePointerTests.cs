using System;
using System.Globalization;
using System.Text.Json;
using Pile.Format;
using Xunit;

namespace Pile.Tests;

public sealed class PilePointerTests
{
    private static readonly PilePointer _sample = new(PointerWord.Pack(42, 1, 7));

    [Theory]
    [InlineData(1u, 1, 1u)]
    [InlineData(42u, 7, 16_777_215u)]
    [InlineData(4_294_967_294u, 127, 1u)]
    [InlineData(4_294_967_295u, 255, 16_777_215u)]
    [InlineData(0u, 0, 0u)]
    public void TheTextFormOfAPointerParsesToThePointer(uint slot, byte tag, uint generation)
    {
        var pointer = new PilePointer(PointerWord.Pack(slot, tag, generation));

        Assert.Equal(string.Create(CultureInfo.InvariantCulture, $"{slot}.{generation}@{tag}"), pointer.ToString());
        Assert.Equal(pointer, PilePointer.Parse(pointer.ToString(), null));
        Assert.Equal(pointer, PilePointer.FromInt64(pointer.ToInt64()));
        Assert.Equal((slot, tag, (int)generation), (pointer.Slot, pointer.Tag, pointer.Generation));
    }

    [Theory]
    [InlineData("")]
    [InlineData("42")]
    [InlineData("42.7")]
    [InlineData("42@1")]
    [InlineData("@1.2")]
    [InlineData("42.7@")]
    [InlineData(".7@1")]
    [InlineData("42.@1")]
    [InlineData("-1.7@1")]
    [InlineData("+1.7@1")]
    [InlineData(" 1.7@1")]
    [InlineData("1.7@1 ")]
    [InlineData("1.7@256")]
    [InlineData("4294967296.7@1")]
    [InlineData("1.16777216@1")]
    [InlineData("1.7.7@1")]
    [InlineData("1.7@1@1")]
    [InlineData("0x1.7@1")]
    [InlineData("1,7@1")]
    public void ParseOfWhatIsNoPointerThrowsFormatExceptionWithTheText(string text)
    {
        Assert.False(PilePointer.TryParse(text, null, out PilePointer pointer));
        Assert.True(pointer.IsNull);
        FormatException failure = Assert.Throws<FormatException>(() => PilePointer.Parse(text, null));
        Assert.Contains($"'{text}'", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ParseOfNullThrowsAndTryParseOfNullIsFalse()
    {
        Assert.Throws<ArgumentNullException>(() => PilePointer.Parse((string)null!, null));
        Assert.False(PilePointer.TryParse(null, null, out _));
    }

    [Fact]
    public void TryFormatIntoTooShortASpanIsFalse()
    {
        Span<char> text = stackalloc char[5];

        Assert.False(_sample.TryFormat(text, out int written, default, null));
        Assert.Equal(0, written);
        Span<char> longer = stackalloc char[6];
        Assert.True(_sample.TryFormat(longer, out written, default, null));
        Assert.Equal("42.7@1", longer[..written].ToString());
        Assert.Equal("42.7@1", _sample.ToString("G", CultureInfo.InvariantCulture));
    }

    [Fact]
    public void PointersAreOrderedByTagThenSlotThenGeneration()
    {
        PilePointer[] rising =
        [
            PilePointer.Null,
            new(PointerWord.Pack(2, 1, 1)),
            new(PointerWord.Pack(2, 1, 2)),
            new(PointerWord.Pack(3, 1, 1)),
            new(PointerWord.Pack(1, 2, 9)),
        ];

        for (int left = 0; left < rising.Length; left++)
        {
            for (int right = 0; right < rising.Length; right++)
            {
                Assert.Equal(left.CompareTo(right), Math.Sign(rising[left].CompareTo(rising[right])));
                Assert.Equal(left < right, rising[left] < rising[right]);
                Assert.Equal(left > right, rising[left] > rising[right]);
                Assert.Equal(left <= right, rising[left] <= rising[right]);
                Assert.Equal(left >= right, rising[left] >= rising[right]);
                Assert.Equal(left == right, rising[left] == rising[right]);
                Assert.Equal(left != right, rising[left] != rising[right]);
                Assert.Equal(left == right, rising[left].Equals((object)rising[right]));
            }
        }

        Assert.False(_sample.Equals("42.7@1"));
        Assert.Equal(_sample.GetHashCode(), PilePointer.Parse("42.7@1", null).GetHashCode());
    }

    [Fact]
    public void TheNullPointerIsDefaultAndZero()
    {
        Assert.True(PilePointer.Null.IsNull);
        Assert.Equal(default, PilePointer.Null);
        Assert.Equal(0, PilePointer.Null.ToInt64());
        Assert.Equal("0.0@0", PilePointer.Null.ToString());
    }

    [Fact]
    public void APointerInJsonIsItsTextAndComesBack()
    {
        string json = JsonSerializer.Serialize(new Holder(_sample, new PileRef<string>(_sample)));

        Assert.Equal("""{"Pointer":"42.7@1","Reference":"42.7@1"}""", json);
        Holder? read = JsonSerializer.Deserialize<Holder>(json);
        Assert.Equal(_sample, read!.Pointer);
        Assert.Equal(_sample, read.Reference.Pointer);
    }

    [Theory]
    [InlineData("42")]
    [InlineData("null")]
    [InlineData("\"x\"")]
    [InlineData("{}")]
    [InlineData("true")]
    public void JsonThatIsNoPointerThrowsJsonException(string json)
    {
        Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<PilePointer>(json));
        Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<PileRef<int>>(json));
    }

    [Fact]
    public void APointerInsideAStoredValueLeadsToItsObject()
    {
        using var pile = new CheckedPile();
        PilePointer target = pile.It.PutString("target");
        PilePointer link = pile.It.PutValue(new Link(target, new PileRef<string>(target), 5));

        Link read = pile.It.Get<Link>(link);
        Assert.Equal("target", pile.It.Get<string>(read.Pointer));
        Assert.Equal("target", pile.It.Get(read.Reference));
        Assert.True(pile.It.Delete(target));
        Assert.False(pile.It.TryGet(read.Pointer, out string? _, out PileStatus status));
        Assert.Equal(PileStatus.Stale, status);
    }

    private readonly record struct Link(PilePointer Pointer, PileRef<string> Reference, int Number);

    private sealed record Holder(PilePointer Pointer, PileRef<string> Reference);
}
