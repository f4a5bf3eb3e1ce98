using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Numerics;
using System.Text.Json;
using Xunit;

namespace Pile.Tests.Codecs;

public sealed class DescriptionTests
{
    [Fact]
    public void AnObjectIsDescribedByNamesAndValues()
    {
        using var pile = new CheckedPile();
        var shared = new List<string> { "a", "b" };
        var holder = new GraphTypes.Holder { First = shared, Second = shared, Third = [1, 2] };
        PileDescription described = pile.It.Describe(pile.It.Put(holder));

        Assert.EndsWith("GraphTypes+Holder", described.TypeName, StringComparison.Ordinal);
        Assert.Equal(["First", "Second", "Third", "Fourth"], described.Members.Select(static member => member.Key));
        Assert.Same(described.Members[0].Value, described.Members[1].Value);
        Assert.Equal(["a", "b"], described.Members[0].Value.Items.Select(static item => item.Value));
        Assert.Equal([1, 2], described.Members[2].Value.Items.Select(static item => item.Value));
        Assert.True(described.Members[3].Value.IsNull);
        Assert.Equal("text", pile.It.Describe(pile.It.PutString("text")).Value);
    }

    [Fact]
    public void TypesAreNamedAsTheyAreStoredWithTheirMembers()
    {
        using var pile = new CheckedPile();
        var holder = new GraphTypes.Holder { First = ["a"], Third = [1, 2] };
        holder.Second = holder.First;
        foreach (PilePointer pointer in (PilePointer[])[pile.It.Put(holder), pile.It.Put(new GraphTypes.Node { Value = 7 }), pile.It.Put("text"), pile.It.PutBytes([1]), pile.It.Put(1.5), pile.It.Put(new Dictionary<string, int> { ["one"] = 1 })])
        {
            Assert.Equal(pile.It.Describe(pointer).TypeName, pile.It.TypeNameOf(pointer));
        }

        PileStoredType stored = pile.It.StoredTypes().Single(static type => type.Name.EndsWith("GraphTypes+Holder", StringComparison.Ordinal));
        Assert.False(stored.IsValue);
        Assert.Equal(["First", "Second", "Third", "Fourth"], stored.Members.Select(static member => member.Name));
        Assert.All(stored.Members, member => Assert.Equal(stored.Name, member.DeclaringType));
        Assert.Equal(pile.It.StoredTypes().Select(static type => type.Number).Order(), pile.It.StoredTypes().Select(static type => type.Number));
    }

    [Fact]
    public void JsonShowsSharingTypesAndDeepGraphs()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20 });
        var map = new Dictionary<string, object?> { ["one"] = 1, ["when"] = new DateTime(2020, 1, 2), ["nothing"] = null, ["same"] = new GraphTypes.Node { Value = 7 } };
        map["again"] = map["same"];
        using var json = JsonDocument.Parse(pile.It.ToJson(pile.It.Put(map)));
        JsonElement items = json.RootElement.GetProperty("$items");
        Assert.Equal("one", items[0].GetProperty("key").GetString());
        Assert.Equal(1, items[0].GetProperty("value").GetInt32());
        Assert.Equal(items[3].GetProperty("value").GetProperty("$id").GetInt32(), items[4].GetProperty("value").GetProperty("$ref").GetInt32());

        GraphTypes.Node chain = new();
        for (int index = 0; index < 10_000; index++)
        {
            chain = new GraphTypes.Node { Value = index, Next = chain };
        }

        using var deep = JsonDocument.Parse(pile.It.ToJson(pile.It.Put(chain)), new JsonDocumentOptions { MaxDepth = 80 });
        Assert.True(deep.RootElement.GetProperty("$more").GetArrayLength() > 100);
    }

    /// <summary>A reference takes a few bytes: what it leads to is not written again for each.</summary>
    [Fact]
    public void JsonOfAnArrayOfDimensionsHasEachLengthAndBoundByName()
    {
        using var pile = ObjectPile.Create();
        var grid = Array.CreateInstance(typeof(int), [2, 3], [0, 5]);
        grid.SetValue(7, 1, 6);
        using var json = JsonDocument.Parse(pile.ToJson(pile.Put<object>(grid)));
        string[] names = [.. json.RootElement.EnumerateObject().Select(static member => member.Name)];

        Assert.Equal(names.Distinct(), names);
        Assert.Equal([2, 0, 3, 5], new[] { "length0", "lowerBound0", "length1", "lowerBound1" }.Select(name => json.RootElement.GetProperty(name).GetInt32()));
    }

    [Fact]
    public void JsonWritesALongTextOrBlockThatIsSharedOnce()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20 });
        string text = new('x', 20_000);
        byte[] block = [.. Enumerable.Range(0, 5000).Select(static index => (byte)index)];
        string brief = new('y', 63);
        object[] many = [.. Enumerable.Range(0, 30_000).Select(index => (index % 3) switch { 0 => (object)text, 1 => block, _ => brief })];
        string json = pile.It.ToJson(pile.It.Put(many));
        Assert.InRange(json.Length, 30_000, 5_000_000);
        using var document = JsonDocument.Parse(json);
        JsonElement items = document.RootElement;
        Assert.Equal(text, items[0].GetProperty("$value").GetString());
        Assert.Equal(block, items[1].GetProperty("$value").GetBytesFromBase64());
        Assert.Equal(brief, items[2].GetString());
        Assert.Equal(items[0].GetProperty("$id").GetInt32(), items[29_997].GetProperty("$ref").GetInt32());
        Assert.Equal(items[1].GetProperty("$id").GetInt32(), items[29_998].GetProperty("$ref").GetInt32());
        Assert.Equal(brief, items[29_999].GetString());

        using var once = JsonDocument.Parse(pile.It.ToJson(pile.It.Put(new object[] { text, block })));
        Assert.Equal(text, once.RootElement[0].GetString());
        Assert.Equal(block, once.RootElement[1].GetBytesFromBase64());
    }

    [Fact]
    public void JsonWritesALargeNumberThatIsSharedOnce()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20 });
        object large = BigInteger.One << 40_000;
        object small = (BigInteger)77;
        string json = pile.It.ToJson(pile.It.Put((object[])[large, large, small, small, .. Enumerable.Repeat(large, 10_000)]));
        Assert.InRange(json.Length, 10_000, 1_000_000);
        using var document = JsonDocument.Parse(json);
        JsonElement items = document.RootElement;
        Assert.Equal("0x1" + new string('0', 10_000), items[0].GetProperty("$value").GetString());
        Assert.Equal(items[0].GetProperty("$id").GetInt32(), items[1].GetProperty("$ref").GetInt32());
        Assert.Equal("77", items[3].GetString());
    }

    /// <summary>The decimal digits of the largest would take minutes.</summary>
    [Theory]
    [InlineData(10, false)]
    [InlineData(4096, false)]
    [InlineData(4097, true)]
    [InlineData(20_000_000, true)]
    public void ANumberIsTextOfDecimalDigitsOrWhereItIsLargeOfHexadecimalOnes(int bits, bool isHexadecimal)
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20 });
        BigInteger number = (BigInteger.One << (bits - 1)) + 5;
        foreach (BigInteger value in (BigInteger[])[number, -number])
        {
            PilePointer pointer = pile.It.Put(new object[] { value });
            using var json = JsonDocument.Parse(pile.It.ToJson(pointer));
            string text = json.RootElement[0].GetString()!;
            Assert.Equal(text, pile.It.Describe(pointer).Items[0].ToString());
            string digits = text.TrimStart('-');
            Assert.Equal(value.Sign < 0, digits.Length < text.Length);
            Assert.Equal(isHexadecimal, digits.StartsWith("0x", StringComparison.Ordinal));
            Assert.NotEqual('0', digits[isHexadecimal ? 2 : 0]);
            Assert.Equal(number, isHexadecimal ? BigInteger.Parse($"0{digits[2..]}", NumberStyles.HexNumber, CultureInfo.InvariantCulture) : BigInteger.Parse(digits, CultureInfo.InvariantCulture));
        }
    }
}
