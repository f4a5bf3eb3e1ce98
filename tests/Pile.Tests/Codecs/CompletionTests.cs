using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What is filled last, and after what.</summary>
public sealed class CompletionTests
{
    [Fact]
    public void KeysThatAllReferToOneLargeObjectAreNoReasonToGoOverItForEach()
    {
        // 100,000 times over 400,000 values: this would end, but not today.
        const int Keys = 100_000;
        var settings = new Settings { Lines = [.. Enumerable.Repeat("x", 400_000)] };
        var store = new GraphStore();
        byte[] bytes = store.Write(new Root { Settings = settings, Items = [.. Enumerable.Range(0, Keys).Select(number => new Item(settings, number))] });
        Root got = store.Read<Root>(bytes);
        Assert.Equal(Keys, got.Items!.Count);
        Assert.Contains(new Item(got.Settings!, Keys - 1), got.Items);
        Assert.Equal(400_000, got.Settings!.Lines!.Length);
    }

    internal sealed class Settings
    {
        public string[]? Lines { get; set; }
    }

    internal sealed record Item(Settings Settings, int Number);

    internal sealed class Root
    {
        public Settings? Settings { get; set; }

        public HashSet<Item>? Items { get; set; }
    }
}
