using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Microsoft.Extensions.Configuration;
using Pile.Caching;
using Pile.Hosting;
using Pile.Server.Running;
using Pile.Server.Settings;
using Xunit;

namespace Pile.Server.Tests.Docs;

/// <summary>The tables of settings in docs/SERVER.md against the code: each setting is a row, with its form and its default, and ranges are those that are kept.</summary>
public sealed class SettingsDocumentTests
{
    private static readonly Dictionary<string, (string Name, string Form)[]> _sections = new()
    {
        ["PileCache"] = Of(PileCacheSettings.All),
        ["PileListen"] = Of(ListenOptions.Settings),
        ["PileServer"] = Of(ServerSettings.All),
        ["PileClients"] = Of(PileServerClient.Settings),
        ["PileJwt"] = Of(PileServerJwt.Settings),
        ["PileTelemetry"] = Of(TelemetryOptions.Settings),
    };

    public static TheoryData<string> Sections => [.. _sections.Keys];

    public static TheoryData<string, string, string> Ranges =>
    [
        .. from section in _sections.Keys
           from row in ServerDocument.Rows("setting", section)
           where row[3].Contains(" to ", StringComparison.Ordinal)
           select new TheoryDataRow<string, string, string>(section, row[0].Trim('`'), row[3]),
    ];

    [Theory]
    [MemberData(nameof(Sections))]
    public void EachSettingIsARowWithItsForm(string section) =>
        Assert.Equal(_sections[section].Select(static setting => $"`{setting.Name}` {setting.Form}"), ServerDocument.Rows("setting", section).Select(static row => $"{row[0]} {row[1]}"));

    [Fact]
    public void EachDefaultIsWhatCountsWithoutTheSetting()
    {
        Defaults("PileCache", PileCacheSettings.All, static () => new PileCacheHostOptions());
        Defaults("PileListen", ListenOptions.Settings, static () => new ListenOptions());
        Defaults("PileServer", ServerSettings.All, static () => new PileServerOptions());
        Defaults("PileClients", PileServerClient.Settings, static () => new PileServerClient());
        Defaults("PileJwt", PileServerJwt.Settings, static () => new PileServerJwt());
        Defaults("PileTelemetry", TelemetryOptions.Settings, static () => new TelemetryOptions());
    }

    [Theory]
    [MemberData(nameof(Ranges))]
    public void EachRangeIsKeptAndWhatLiesBeyondIsNamed(string section, string name, string range)
    {
        string[] ends = range.Split(" to ");
        Assert.DoesNotContain(Problems(section, name, ends[0]), problem => problem.StartsWith($"{section}:{name} ", StringComparison.Ordinal));
        Assert.DoesNotContain(Problems(section, name, ends[1]), problem => problem.StartsWith($"{section}:{name} ", StringComparison.Ordinal));
        foreach (string beyond in new[] { Moved(ends[0], -1), Moved(ends[1], 1) })
        {
            Assert.Contains(Problems(section, name, beyond), problem => problem.StartsWith($"{section}:{name} = ", StringComparison.Ordinal) && problem.Contains(" must lie between ", StringComparison.Ordinal));
        }
    }

    [Fact]
    public void TheFileThatIsShownIsRead()
    {
        var configuration = new ConfigurationManager();
        _ = configuration.AddJsonStream(new MemoryStream(System.Text.Encoding.UTF8.GetBytes(ServerDocument.Block("json"))));
        var options = new PileServerOptions();
        ServerSettings.Read(configuration, options);

        Assert.Equal(PileServerAccess.Read | PileServerAccess.Write, options.Clients["shop"].Access);
        Assert.True(new ServerOptionsValidator().Validate(null, options).Succeeded);
        Assert.Empty(ListenOptions.Read(configuration).Options.Problems);
        Assert.Equal("http://127.0.0.1:4317", TelemetryOptions.Read(configuration).OtlpEndpoint);
        Assert.Empty(configuration.GetChildren().Select(static section => section.Key).Except(_sections.Keys));
    }

    private static (string Name, string Form)[] Of<T>(IReadOnlyList<PileSetting<T>> settings) => [.. settings.Select(static setting => (setting.Name, setting.Form))];

    // As text: the options' own values one by one, and a record with all that is in it.
    private static void Defaults<T>(string section, IReadOnlyList<PileSetting<T>> settings, Func<T> make)
        where T : notnull
    {
        foreach (string[] row in ServerDocument.Rows("setting", section).Where(static row => row[2] != "none"))
        {
            T set = make();
            Assert.True(settings.Single(setting => setting.Name == row[0].Trim('`')).TryApply(set, row[2]), $"{section}:{row[0]} can't be '{row[2]}'.");
            Assert.Equal(string.Join(' ', Values(make())), string.Join(' ', Values(set)));
        }

        foreach (string[] row in ServerDocument.Rows("setting", section).Where(static row => row[2] == "none"))
        {
            string name = row[0].Trim('`');
            Assert.True(Values(make()).Concat(Values(make()).Select(static pair => pair.Value).OfType<Pile.Cache.PileCacheOptions>().SelectMany(Values)).Single(pair => pair.Key == name).Value is null or "", $"{section}:{name} has a default.");
        }
    }

    private static KeyValuePair<string, object?>[] Values(object options) =>
    [
        .. options.GetType().GetProperties(System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic)
            .Where(static property => property.PropertyType.IsValueType || property.PropertyType == typeof(string) || property.PropertyType == typeof(Pile.Cache.PileCacheOptions))
            .Select(property => new KeyValuePair<string, object?>(property.Name, property.GetValue(options))),
    ];

    private static string Moved(string end, int by) => TimeSpan.TryParse(end, CultureInfo.InvariantCulture, out TimeSpan time) && end.Contains(':', StringComparison.Ordinal)
        ? (time + TimeSpan.FromMilliseconds(by)).ToString("c", CultureInfo.InvariantCulture)
        : (long.Parse(end, CultureInfo.InvariantCulture) + by).ToString(CultureInfo.InvariantCulture);

    private static IEnumerable<string> Problems(string section, string name, string value)
    {
        var configuration = new ConfigurationManager { [$"{section}:{name}"] = value, ["PileJwt:Audience"] = "a" };
        var options = new PileServerOptions();
        ServerSettings.Read(configuration, options);
        return [.. new ServerOptionsValidator().Validate(null, options).Failures ?? [], .. ListenOptions.Read(configuration).Options.Problems, .. TelemetryOptions.Read(configuration).Problems];
    }
}
