using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>What editors are told about the configuration is what is read.</summary>
public sealed class ConfigurationSchemaTests
{
    private static readonly JsonElement _schema = JsonDocument.Parse(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "ConfigurationSchema.json"))).RootElement;

    private static JsonElement Alone => _schema.GetProperty("properties").GetProperty("Pile");

    private static JsonElement Keyed => _schema.GetProperty("properties").GetProperty("Piles").GetProperty("additionalProperties");

    [Fact]
    public void TheSchemaHasTheSettingsThatAreRead()
    {
        Assert.Equal(PileSettings.All.Select(static setting => setting.Name), Alone.GetProperty("properties").EnumerateObject().Select(static property => property.Name));
        Assert.False(Alone.GetProperty("additionalProperties").GetBoolean());
    }

    [Fact]
    public void EachSettingHasItsTypeItsValuesAndADescription()
    {
        foreach (PileSetting<PileHostOptions> setting in PileSettings.All)
        {
            JsonElement property = Alone.GetProperty("properties").GetProperty(setting.Name);
            Assert.Equal(setting.JsonType, property.GetProperty("type").GetString());
            Assert.NotEmpty(property.GetProperty("description").GetString()!);
            string?[] values = property.TryGetProperty("enum", out JsonElement named) ? [.. named.EnumerateArray().Select(static value => value.GetString())] : [];
            Assert.Equal(setting.Values, values);
        }
    }

    [Fact]
    public void DefaultsThatItNamesAreThoseOfThePile()
    {
        foreach (PileSetting<PileHostOptions> setting in PileSettings.All)
        {
            if (Alone.GetProperty("properties").GetProperty(setting.Name).TryGetProperty("default", out JsonElement value))
            {
                var read = new PileHostOptions();
                Assert.True(setting.TryApply(read, value.ToString()), setting.Name);
                Assert.Equal(new PileOptions() with { Codecs = read.Pile.Codecs }, read.Pile);
            }
        }
    }

    [Fact]
    public void PilesWithKeysHaveTheSameSettings()
    {
        Assert.True(JsonElement.DeepEquals(Alone.GetProperty("properties"), Keyed.GetProperty("properties")));
        Assert.False(Keyed.GetProperty("additionalProperties").GetBoolean());
    }
}
