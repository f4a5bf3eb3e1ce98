using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>Sizes as text, and that what editors are told of them is what is read.</summary>
public sealed class SizeTextTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("1048576", 1_048_576)]
    [InlineData("64MB", 64_000_000)]
    [InlineData("64 mb", 64_000_000)]
    [InlineData("64MiB", 64 << 20)]
    [InlineData("2GiB", 2L << 30)]
    [InlineData("1.5 GiB", 3L << 29)]
    [InlineData("0.1KB", 100)]
    [InlineData("1.3KiB", 1331)]
    [InlineData("7TB", 7_000_000_000_000)]
    [InlineData("3TiB", 3L << 40)]
    [InlineData("12 B", 12)]
    [InlineData("8388607TiB", 8_388_607L << 40)]
    public void ASizeIsReadWithOrWithoutAUnit(string text, long bytes)
    {
        Assert.True(SizeText.TryRead(text, out long read));
        Assert.Equal(bytes, read);
        Assert.Matches(Pattern(), text);
    }

    [Theory]
    [InlineData("")]
    [InlineData("MB")]
    [InlineData("64M")]
    [InlineData("64 MBytes")]
    [InlineData("1,5GiB")]
    [InlineData("1_000")]
    [InlineData("-1MB")]
    [InlineData("1e3KB")]
    [InlineData("8388608TiB")]
    [InlineData("99999999999999999999")]
    [InlineData("99999999999999999999999999999999TB")]
    public void AnythingElseIsNoSize(string text) => Assert.False(SizeText.TryRead(text, out _));

    [Theory]
    [InlineData("64M")]
    [InlineData("MB")]
    [InlineData("1,5GiB")]
    [InlineData("1..5GiB")]
    public void EditorsRefuseItToo(string text) => Assert.DoesNotMatch(Pattern(), text);

    private static Regex Pattern()
    {
        using var schema = JsonDocument.Parse(File.ReadAllText(Path.Combine(System.AppContext.BaseDirectory, "ConfigurationSchema.json")));
        JsonElement settings = schema.RootElement.GetProperty("properties").GetProperty("Pile").GetProperty("properties");
        return new Regex(Assert.Single(settings.EnumerateObject().Where(static one => one.Value.TryGetProperty("pattern", out _) && one.Name != "FlushInterval").Select(static one => one.Value.GetProperty("pattern").GetString()!).Distinct()));
    }
}
