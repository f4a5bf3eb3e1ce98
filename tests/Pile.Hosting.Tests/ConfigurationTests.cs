using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>Options from configuration: each setting by its name, and each mistake with its path, before anything is opened.</summary>
public sealed class ConfigurationTests
{
    public static TheoryData<string, string, Func<PileHostOptions, object?>, object> Settings { get; } = new()
    {
        { "Directory", "somewhere", static options => options.Directory, "somewhere" },
        { "InMemory", "true", static options => options.InMemory, true },
        { "MemoryLimitBytes", "1048576", static options => options.Pile.MemoryLimitBytes, 1L << 20 },
        { "DiskLimitBytes", "99999999999", static options => options.Pile.DiskLimitBytes, 99_999_999_999 },
        { "DiskReserveBytes", "0", static options => options.Pile.DiskReserveBytes, 0L },
        { "PreallocationBytes", "64 MiB", static options => options.Pile.PreallocationBytes, 64L << 20 },
        { "OpenMode", "OpenExisting", static options => options.Pile.OpenMode, PileOpenMode.OpenExisting },
        { "Promise", "processsafe", static options => options.Pile.Promise, PilePromise.ProcessSafe },
        { "FlushInterval", "00:00:00.250", static options => options.Pile.FlushInterval, TimeSpan.FromMilliseconds(250) },
        { "VerifyOnRead", "Always", static options => options.Pile.VerifyOnRead, PileVerifyOnRead.Always },
        { "ScrubBytesPerSecond", "1 KB", static options => options.Pile.ScrubBytesPerSecond, 1000L },
        { "WarmUp", "Blocking", static options => options.Pile.WarmUp, PileWarmUp.Blocking },
        { "AcceptLoss", "True", static options => options.Pile.AcceptLoss, true },
        { "UsedOverLive", "1.5", static options => options.Pile.UsedOverLive, 1.5 },
        { "BackgroundCleaning", "false", static options => options.Pile.BackgroundCleaning, false },
        { "HugePages", "false", static options => options.Pile.HugePages, false },
        { "WritersMax", "1021", static options => options.Pile.WritersMax, 1021 },
    };

    [Theory]
    [MemberData(nameof(Settings))]
    public void EachSettingIsReadByItsNameInAnyCase(string name, string text, Func<PileHostOptions, object?> read, object expected)
    {
        Assert.NotEqual(expected, read(new PileHostOptions()));
        Assert.Equal(expected, read(Read((name, text))));
        Assert.Equal(expected, read(Read((name.ToUpperInvariant(), text))));
    }

    [Fact]
    public void EverySettingIsTested()
    {
        Assert.Equal(PileSettings.All.Select(static setting => setting.Name), Settings.Select(static row => row.Data.Item1));
    }

    [Fact]
    public void EveryOptionIsASettingButWhatOnlyCodeCanSay()
    {
        // DisposeWait: the host's own shutdown time takes its place.
        string[] ofCode = [nameof(PileOptions.Codecs), nameof(PileOptions.DisposeWait), nameof(PileOptions.TimeProvider)];

        Assert.Equal(
            typeof(PileOptions).GetProperties().Select(static option => option.Name).Except(ofCode).Concat([nameof(PileHostOptions.Directory), nameof(PileHostOptions.InMemory)]).Order(StringComparer.Ordinal),
            PileSettings.All.Select(static setting => setting.Name).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void ASettingWithoutAValueIsNotSet()
    {
        Assert.Null(Read(("Directory", null)).Directory);
    }

    [Theory]
    [InlineData("FlushIntervall", "00:00:01", "Pile:FlushIntervall is not a setting of a pile. There are Directory, InMemory, ")]
    [InlineData("DisposeWait", "00:00:01", "Pile:DisposeWait is not a setting of a pile.")]
    [InlineData("FlushInterval", "5", "Pile:FlushInterval = '5' can't be read: it must be a duration such as 00:00:05")]
    [InlineData("MemoryLimitBytes", "1 G", "Pile:MemoryLimitBytes = '1 G' can't be read: it must be a number of bytes, or one with a unit, such as 64MB or 2GiB.")]
    [InlineData("MemoryLimitBytes", "", "Pile:MemoryLimitBytes = '' can't be read")]
    [InlineData("UsedOverLive", "1,5", "Pile:UsedOverLive = '1,5' can't be read: it must be a number such as 1.2.")]
    [InlineData("BackgroundCleaning", "yes", "Pile:BackgroundCleaning = 'yes' can't be read: it must be true or false.")]
    [InlineData("WarmUp", "1", "Pile:WarmUp = '1' can't be read: it must be one of None, Background, Blocking.")]
    [InlineData("Directory:Path", "x", "Pile:Directory has parts, but is one value: a path.")]
    [InlineData("UsedOverLive", "1", "Pile:UsedOverLive: UsedOverLive must lie between 1.05")]
    [InlineData("WritersMax", "99999999999", "Pile:WritersMax: WritersMax must lie between 1 and 1024.")]
    [InlineData("Promise", "PowerSafe", "Pile:Promise: Promise = PowerSafe is for piles in files")]
    [InlineData("Directory", "x", "Pile:Directory = 'x' and Pile:InMemory = true contradict each other")]
    [InlineData("Directory", " ", "Pile:Directory is empty: it must be a path.")]
    public async Task AMistakeEndsTheStartWithThePathInTheMessage(string name, string text, string said)
    {
        string message = await RefusalAsync(("Pile:InMemory", "true"), ($"Pile:{name}", text));

        Assert.StartsWith(said, message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AllMistakesAreNamedAtOnce()
    {
        string message = await RefusalAsync(("Pile:InMemory", "maybe"), ("Pile:Limit", "1"));

        Assert.Contains("Pile:InMemory = 'maybe'", message, StringComparison.Ordinal);
        Assert.Contains("Pile:Limit is not a setting", message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AMissingSectionNeverMakesAPileThatForgets()
    {
        Assert.StartsWith("Pile:Directory is missing: it says where the pile lives. For a pile that ends with the host set Pile:InMemory to true.", await RefusalAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AValueInPlaceOfTheSectionIsAMistake()
    {
        Assert.StartsWith("Pile = 'somewhere' is a value: a section", await RefusalAsync(("Pile", "somewhere")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AMistakeInCodeNamesTheOptionAndThePile()
    {
        HostApplicationBuilder builder = TestHost.Builder();
        _ = builder.Services.AddKeyedPile("a", static options =>
        {
            options.InMemory = true;
            options.Pile = options.Pile with { WritersMax = 0 };
        });
        using IHost host = builder.Build();

        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.StartsWith("PileHostOptions.WritersMax of the pile 'a': WritersMax must lie between 1 and 1024.", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void CodeHasTheLastWord()
    {
        HostApplicationBuilder builder = TestHost.Builder(null, ("Pile:InMemory", "true"), ("Pile:WritersMax", "2"));
        _ = builder.AddPile(static options => options.Pile = options.Pile with { WritersMax = options.Pile.WritersMax + 1 });
        using IHost host = builder.Build();

        Assert.Equal(3, host.Services.GetRequiredService<IOptionsMonitor<PileHostOptions>>().CurrentValue.Pile.WritersMax);
    }

    private static PileHostOptions Read(params (string Name, string? Value)[] settings)
    {
        ConfigurationManager configuration = TestHost.Builder(null, [.. settings.Select(static setting => ("Pile:" + setting.Name, setting.Value))]).Configuration;
        var options = new PileHostOptions();
        SettingReader.Read(configuration.GetSection("Pile"), options, "pile", PileSettings.All);
        Assert.Empty(options.Problems);
        return options;
    }

    private static async Task<string> RefusalAsync(params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = TestHost.Builder(null, settings);
        _ = builder.AddPile();
        using IHost host = builder.Build();
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.False(host.Services.GetRequiredService<HostedPile>().TryGet(out _));
        Assert.False(Directory.Exists(Path.Combine(AppContext.BaseDirectory, "x")));
        return refused.Message;
    }
}
