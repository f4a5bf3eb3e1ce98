using System;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Calls on a server as a whole, and the options of a client.</summary>
public sealed class ClientCallTests(SharedServer server) : IClassFixture<SharedServer>
{
    [Fact]
    public void ATableOfATimeToLiveBeyondAnyIsDescribed()
    {
        PileTableDescription described = WireForm.DescriptionOf(
            new V1.TableDescription { Table = "made", Options = new V1.TableOptions { DefaultTimeToLiveMs = ulong.MaxValue } });
        Assert.InRange(described.Options.DefaultTimeToLive, TimeSpan.MaxValue - TimeSpan.FromMilliseconds(1), TimeSpan.MaxValue);
    }

    [Fact]
    public async Task TablesAreMadeDescribedClearedAndDropped()
    {
        await using PileClient client = server.Client();
        var options = new PileClientTableOptions { IsDurable = true, DefaultTimeToLive = TimeSpan.FromHours(1), DefaultPriority = PileClientPriority.High };
        Assert.True(await client.CreateTableAsync("made", options));
        Assert.False(await client.CreateTableAsync("made", options));
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => client.CreateTableAsync("made"));
        Assert.Equal((StatusCode.AlreadyExists, true), (failure.Code, failure.IsRetrySafe));
        Assert.Contains("made", await client.ListTablesAsync());
        _ = await client.Table("made").SetAsync("a", new byte[5]);
        PileTableDescription described = await client.DescribeTableAsync("made");
        Assert.Equal(("made", options, 1), (described.Name, described.Options, described.Figures.Entries));

        await client.Table("made").ClearAsync();
        Assert.Null(await client.Table("made").GetAsync("a"));
        Assert.True(await client.DropTableAsync("made"));
        Assert.False(await client.DropTableAsync("made"));
        Assert.DoesNotContain("made", await client.ListTablesAsync());
    }

    [Fact]
    public async Task TheServerTellsItsFigures()
    {
        await using PileClient client = server.Client();
        _ = await client.Table().SetAsync("a", new byte[5]);
        PileServerStats stats = await client.GetStatsAsync();

        Assert.Equal(64 << 20, stats.MemoryLimitBytes);
        Assert.True(stats is { Calls: > 0, UsedBytes: > 0, Figures.Entries: > 0 }, stats.ToString());
        Assert.NotEmpty(stats.Version);
        Assert.True(await client.PingAsync() > TimeSpan.Zero);
    }

    [Fact]
    public async Task AServerThatIsNotThereIsUnavailableWithTheReason()
    {
        await using var client = new PileClient(new PileClientOptions { Address = "http://127.0.0.1:1", RetriesMax = 1 });
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(async () => await client.Table().GetAsync("a"));

        Assert.Equal((StatusCode.Unavailable, (PileStatus?)null, "http://127.0.0.1:1", true), (failure.Code, failure.Status, failure.Endpoint, failure.IsRetrySafe));
        Assert.Contains("refused", failure.Message, StringComparison.OrdinalIgnoreCase);
        failure = await Assert.ThrowsAsync<PileClientException>(() => client.Table().IncrementAsync("a"));
        Assert.True(failure.IsRetrySafe, "nothing was sent");
    }

    [Fact]
    public async Task ACancelledCallAndADisposedClientSaySo()
    {
        PileClient client = server.Client();
        var cancelled = new CancellationToken(canceled: true);
        OperationCanceledException told = await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await client.Table().GetAsync("a", cancelled));
        Assert.Equal(cancelled, told.CancellationToken);
        await client.DisposeAsync();
        await client.DisposeAsync();

        _ = await Assert.ThrowsAsync<ObjectDisposedException>(async () => await client.Table().GetAsync("a"));
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => client.PingAsync());
    }

    [Theory]
    [InlineData("")]
    [InlineData("localhost")]
    [InlineData("ftp://localhost")]
    [InlineData("http://localhost:7171/path")]
    [InlineData("http://user:secret@localhost")]
    [InlineData("unix:")]
    public void AnAddressThatIsNoneIsRefused(string address)
    {
        ArgumentException refused = Assert.Throws<ArgumentException>(() => new PileClient(address));
        Assert.Equal("Address", refused.ParamName);
    }

    [Fact]
    public void OptionsOutOfRangeAreRefusedByTheirName()
    {
        (string Name, Action<PileClientOptions> Change)[] all =
        [
            ("Deadline", static options => options.Deadline = TimeSpan.Zero),
            ("ConnectTimeout", static options => options.ConnectTimeout = TimeSpan.FromDays(30)),
            ("KeepAlive", static options => options.KeepAlive = TimeSpan.FromMilliseconds(999)),
            ("RetriesMax", static options => options.RetriesMax = -1),
            ("Connections", static options => options.Connections = 65),
            ("Tls", static options => options.Tls = null!),
            ("Address", static options => (options.Address, options.Token) = ("http://192.0.2.1:7171", "secret")),
            ("KeyFile", static options => (options.Address, options.Tls.KeyFile) = ("https://localhost", "/there/is/none.pem")),
            ("CertificatePassword", static options => (options.Address, options.Tls.CertificatePassword) = ("https://localhost", "secret")),
            ("AuthorityFile", static options => (options.Address, options.Tls.AuthorityFile) = ("https://localhost", "/there/is/none.pem")),
        ];
        foreach ((string name, Action<PileClientOptions> change) in all)
        {
            ArgumentException refused = Assert.ThrowsAny<ArgumentException>(() => server.Client(change));
            Assert.Equal(name, refused.ParamName);
            Assert.DoesNotContain("secret", refused.Message, StringComparison.Ordinal);
        }
    }
}
