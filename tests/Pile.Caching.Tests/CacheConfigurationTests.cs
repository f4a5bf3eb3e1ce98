using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Pile.Cache;
using Pile.Hosting;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Options from configuration: each setting by its name, each mistake with its path, and the schema for editors.</summary>
public sealed class CacheConfigurationTests
{
    public static TheoryData<string, string, Func<PileCacheHostOptions, object?>, object> Settings { get; } = new()
    {
        { "Directory", "somewhere", static options => options.Directory, "somewhere" },
        { "InMemory", "true", static options => options.InMemory, true },
        { "MemoryLimitBytes", "1MiB", static options => options.Cache.MemoryLimitBytes, 1L << 20 },
        { "Promise", "processsafe", static options => options.Cache.Promise, PilePromise.ProcessSafe },
        { "UsedOverLive", "1.5", static options => options.Cache.UsedOverLive, 1.5 },
        { "BackgroundCleaning", "false", static options => options.Cache.BackgroundCleaning, false },
    };

    [Theory]
    [MemberData(nameof(Settings))]
    public void EachSettingIsReadByItsName(string name, string text, Func<PileCacheHostOptions, object?> read, object expected)
    {
        var options = new PileCacheHostOptions();
        Assert.NotEqual(expected, read(options));
        SettingReader.Read(TestHost.Builder(null, ("PileCache:" + name, text)).Configuration.GetSection("PileCache"), options, "cache", PileCacheSettings.All);

        Assert.Empty(options.Problems);
        Assert.Equal(expected, read(options));
    }

    [Fact]
    public void EverySettingIsTestedAndInTheSchema()
    {
        Assert.Equal(PileCacheSettings.All.Select(static setting => setting.Name), Settings.Select(static row => row.Data.Item1));
        SchemaCheck.Agrees("PileCache", "PileCaches", PileCacheSettings.All, static options => options.Cache == new PileCacheOptions { Codecs = options.Cache.Codecs });
    }

    [Theory]
    [InlineData("MemoryLimit", "1", "PileCache:MemoryLimit is not a setting of a cache. There are Directory, InMemory, ")]
    [InlineData("MemoryLimitBytes", "1 G", "PileCache:MemoryLimitBytes = '1 G' can't be read: it must be a number of bytes, or one with a unit, such as 64MB or 2GiB.")]
    [InlineData("MemoryLimitBytes", "1000", "PileCache:MemoryLimitBytes: MemoryLimitBytes must be at least 1,048,576")]
    [InlineData("UsedOverLive", "1", "PileCache:UsedOverLive: UsedOverLive must lie between 1.05")]
    [InlineData("Promise", "PowerSafe", "PileCache:Promise: Promise = PowerSafe is for piles in files")]
    [InlineData("Directory", "x", "PileCache:Directory = 'x' and PileCache:InMemory = true contradict each other: a cache is in files or in memory.")]
    [InlineData("Directory", " ", "PileCache:Directory is empty: it must be a path. A cache in memory has InMemory = true")]
    public async Task AMistakeEndsTheStartWithThePathInTheMessage(string name, string text, string said) =>
        Assert.StartsWith(said, await RefusalAsync(("PileCache:InMemory", "true"), ($"PileCache:{name}", text)), StringComparison.Ordinal);

    [Theory]
    [InlineData("MemoryLimitBytes", "1000", "PileCache:MemoryLimitBytes: MemoryLimitBytes must be at least 1,048,576")]
    [InlineData("Promise", "Memory", "PileCache:Promise: Promise = Memory is for piles without files")]
    public async Task AMistakeOfACacheInFilesToo(string name, string text, string said) =>
        Assert.StartsWith(said, await RefusalAsync(("PileCache:Directory", "x"), ($"PileCache:{name}", text)), StringComparison.Ordinal);

    [Fact]
    public async Task AMissingSectionNeverMakesACacheThatForgets() =>
        Assert.StartsWith("PileCache:Directory is missing: it says where the cache lives. For a cache that ends with the host set PileCache:InMemory to true.", await RefusalAsync(), StringComparison.Ordinal);

    [Fact]
    public async Task AMistakeInCodeNamesTheOptionAndTheCache()
    {
        HostApplicationBuilder builder = TestHost.Builder();
        _ = builder.Services.AddKeyedPileCache("a", static options =>
        {
            options.InMemory = true;
            options.Cache = options.Cache with { UsedOverLive = 0 };
        });
        using IHost host = builder.Build();

        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.StartsWith("PileCacheHostOptions.UsedOverLive of the cache 'a': UsedOverLive must lie between", refused.Message, StringComparison.Ordinal);
    }

    private static async Task<string> RefusalAsync(params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = TestHost.Builder(null, settings);
        _ = builder.AddPileCache();
        using IHost host = builder.Build();
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.False(host.Services.GetRequiredService<HostedPileCache>().TryGet(out _));
        Assert.False(Directory.Exists(Path.Combine(AppContext.BaseDirectory, "x")));
        return refused.Message;
    }
}
