using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>A package's schema of the configuration against the settings that it reads.</summary>
internal static class SchemaCheck
{
    /// <summary>The schema has the settings, of a thing without a key and of those with one: names, types, values, descriptions; and the
    /// defaults that it names are those of the options.</summary>
    /// <param name="alone">The section of a thing without a key.</param>
    /// <param name="keyed">The section of those with keys.</param>
    /// <param name="settings">What is read.</param>
    /// <param name="areDefault">Whether options are as they are when nothing was read into them.</param>
    internal static void Agrees<TOptions>(string alone, string keyed, IReadOnlyList<PileSetting<TOptions>> settings, Func<TOptions, bool> areDefault)
        where TOptions : new()
    {
        using var schema = JsonDocument.Parse(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "ConfigurationSchema.json")));
        JsonElement sections = schema.RootElement.GetProperty("properties");
        JsonElement one = sections.GetProperty(alone);
        JsonElement more = sections.GetProperty(keyed).GetProperty("additionalProperties");
        JsonElement properties = one.GetProperty("properties");
        Assert.False(one.GetProperty("additionalProperties").GetBoolean() || more.GetProperty("additionalProperties").GetBoolean());
        Assert.True(JsonElement.DeepEquals(properties, more.GetProperty("properties")));
        Assert.Equal(settings.Select(static setting => setting.Name), properties.EnumerateObject().Select(static property => property.Name));
        foreach (PileSetting<TOptions> setting in settings)
        {
            JsonElement property = properties.GetProperty(setting.Name);
            Assert.Equal(setting.JsonTypes, Texts(property.GetProperty("type")));
            Assert.Equal(setting.Values, property.TryGetProperty("enum", out JsonElement named) ? Texts(named) : []);
            Assert.NotEmpty(property.GetProperty("description").GetString()!);
            if (property.TryGetProperty("default", out JsonElement value))
            {
                TOptions read = new();
                Assert.True(setting.TryApply(read, value.ToString()), setting.Name);
                Assert.True(areDefault(read), setting.Name);
            }
        }
    }

    private static string[] Texts(JsonElement element) =>
        element.ValueKind == JsonValueKind.Array ? [.. element.EnumerateArray().Select(static text => text.GetString()!)] : [element.GetString()!];
}
