using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using Pile.Caching;
using Pile.Hosting;
using Pile.Server.Running;
using Pile.Server.Settings;
using Xunit;

namespace Pile.Server.Tests.Docs;

/// <summary>What editors are told about the program's file is what is read, in the words of docs/SERVER.md, whose tables SettingsDocumentTests holds to the code.</summary>
public sealed class SchemaTests
{
    private const string FileName = "pile-server.schema.json";
    private const string Sizes = "^[0-9]+$|^[0-9]+(\\.[0-9]+)? *([KkMmGgTt][Ii]?)?[Bb]$";

    private static readonly JsonSerializerOptions _indented = new() { WriteIndented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    [Fact]
    public void TheSchemaHasTheSettingsThatAreReadWithTheirTypesRangesAndDefaults()
    {
        string expected = Path.Combine(AppContext.BaseDirectory, "expected." + FileName);
        File.WriteAllText(expected, Schema().ToJsonString(_indented).ReplaceLineEndings("\n") + "\n");
        Assert.True(
            File.ReadAllText(expected) == File.ReadAllText(Path.Combine(AppContext.BaseDirectory, FileName)), $"src/Pile.Server/{FileName} is not what docs/SERVER.md and the settings say. Copy {expected} over it.");
    }

    [Fact]
    public async Task AFileThatNamesTheSchemaIsAFileForTheProgram()
    {
        string file = Path.Combine(AppContext.BaseDirectory, "named.json");
        await File.WriteAllTextAsync(file, $$"""{ "$schema": "{{FileName}}", "PileCache": { "InMemory": true, "MemoryLimitBytes": "67108864" } }""", TestContext.Current.CancellationToken);
        await using TestServer server = await TestServer.StartAsync("--config", file);
        Assert.Equal(64ul << 20, (await server.Tables.StatsAsync(new V1.StatsRequest())).MemoryLimitBytes);
    }

    private static JsonObject Schema() => new()
    {
        ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
        ["title"] = "The configuration of pile-server",
        ["type"] = "object",
        ["additionalProperties"] = false,
        ["properties"] = new JsonObject
        {
            ["$schema"] = new JsonObject { ["type"] = "string", ["description"] = "this file" },
            ["PileCache"] = Section("PileCache", PileCacheSettings.All),
            ["PileListen"] = Section("PileListen", ListenOptions.Settings),
            ["PileServer"] = Section("PileServer", ServerSettings.All),
            ["PileClients"] = new JsonObject { ["type"] = "object", ["description"] = "A section for each client, by a name for the log.", ["additionalProperties"] = Section("PileClients", PileServerClient.Settings) },
            ["PileJwt"] = Section("PileJwt", PileServerJwt.Settings),
            ["PileTelemetry"] = Section("PileTelemetry", TelemetryOptions.Settings),
            ["Logging"] = new JsonObject { ["type"] = "object", ["description"] = "settings of .NET's logging" },
        },
    };

    private static JsonObject Section<TOptions>(string name, IReadOnlyList<PileSetting<TOptions>> settings)
    {
        Dictionary<string, string[]> rows = ServerDocument.Rows("setting", name).ToDictionary(static row => row[0].Trim('`'));
        return new JsonObject
        {
            ["type"] = "object",
            ["additionalProperties"] = false,
            ["properties"] = new JsonObject(settings.Select(setting => new KeyValuePair<string, JsonNode?>(setting.Name, Property(setting.JsonTypes, setting.Values, rows[setting.Name])))),
        };
    }

    private static JsonObject Property(string[] types, string[] values, string[] row)
    {
        var property = new JsonObject { ["type"] = types.Length == 1 ? types[0] : new JsonArray([.. types.Select(static type => JsonValue.Create(type))]) };
        if (types.Length > 1)
        {
            property["pattern"] = Sizes;
        }

        if (values.Length > 0)
        {
            property["enum"] = new JsonArray([.. values.Select(static value => JsonValue.Create(value))]);
        }

        if (types[0] is "integer" or "number" && row[3].Split(" to ") is [var least, var most])
        {
            property["minimum"] = long.Parse(least, CultureInfo.InvariantCulture);
            property["maximum"] = long.Parse(most, CultureInfo.InvariantCulture);
        }

        if (row[2] != "none")
        {
            property["default"] = types[0] switch
            {
                "boolean" => bool.Parse(row[2]),
                "integer" when long.TryParse(row[2], CultureInfo.InvariantCulture, out long whole) => whole,
                "number" => double.Parse(row[2], CultureInfo.InvariantCulture),
                _ => row[2],
            };
        }

        string range = row[3].Length > 0 && !property.ContainsKey("minimum") ? $" ({row[3]})" : "";
        property["description"] = (row[4] + range).Replace("`", "", StringComparison.Ordinal);
        return property;
    }
}
