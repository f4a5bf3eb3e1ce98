using System;
using System.Diagnostics;
using System.Net;
using System.Net.Http;
using System.Net.Http.Json;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Programs.Tests.Cached;

/// <summary>The samples on a cache server, as processes beside it: two web APIs that share it, and sessions that outlive everybody.</summary>
public sealed class SharedServerTests : IDisposable
{
    private readonly SamplePrograms _samples = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _samples.Dispose();

    [Fact]
    public async Task WhatTheOfficeChangesAllFrontsSeeAndWhatOneFrontHasAskedForTheOtherHas()
    {
        string server = await SamplePrograms.AddressOfAsync(_samples.StartServer());
        using HttpClient office = await SamplePrograms.ClientOfAsync(_samples.Start("ShopOffice", "--urls", "http://127.0.0.1:0", "--PileClient:Address", server));
        using HttpClient front = await FrontAsync(server, office);
        using HttpClient other = await FrontAsync(server, office);
        foreach (HttpClient one in new[] { office, front, other })
        {
            Assert.Equal("Healthy", await one.GetStringAsync("health", Cancel));
        }

        // The office is asked once, whichever front it is.
        Assert.Equal(new Product(7, "Product 7", 7.95m), await ProductAsync(front));
        Assert.Equal(new Product(7, "Product 7", 7.95m), await ProductAsync(other));
        Assert.Equal("1", await office.GetStringAsync("lookups", Cancel));

        // A change is in the basket at once, and on the page when the front's own copy has ended.
        Assert.Equal(HttpStatusCode.NoContent, await PutAsync(office, "products/7?price=5.50"));
        Assert.Equal("5.50", await other.GetStringAsync("basket?id=7", Cancel));
        Assert.Equal("5.50", await front.GetStringAsync("basket?id=7", Cancel));
        await UntilAsync(async () => (await ProductAsync(front)).Price == 5.50m && (await ProductAsync(other)).Price == 5.50m, "both fronts show the new price");
        Assert.Equal("2", await office.GetStringAsync("lookups", Cancel));

        // A change of all of them, by the tag that they share.
        Assert.Equal("14.45", await front.GetStringAsync("basket?id=7&id=8", Cancel));
        Assert.Equal(HttpStatusCode.OK, await PutAsync(office, "sale/50"));
        Assert.Equal("7.23", await front.GetStringAsync("basket?id=7&id=8", Cancel));

        // A product that there is not, and one that nobody may change.
        using HttpResponseMessage none = await front.GetAsync("products/1001", Cancel);
        Assert.Equal(HttpStatusCode.NotFound, none.StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, await PutAsync(office, "products/1001?price=1"));

        // Straight through the server.
        Assert.Equal("", await front.GetStringAsync("notice", Cancel));
        Assert.Equal(HttpStatusCode.OK, await PutAsync(office, "notice", new StringContent("closed on Monday")));
        Assert.Equal("closed on Monday", await front.GetStringAsync("notice", Cancel));
        Assert.Equal("closed on Monday", await other.GetStringAsync("notice", Cancel));
    }

    [Fact]
    public async Task SessionsOutliveTheAppAndTheServer()
    {
        Process server = _samples.StartServer();
        string address = await SamplePrograms.AddressOfAsync(server);
        using var handler = new HttpClientHandler();
        Process app = App(address);
        string port = await SamplePrograms.AddressOfAsync(app);
        using var visitor = new HttpClient(handler) { BaseAddress = new Uri(port) };
        using var stranger = new HttpClient { BaseAddress = new Uri(port) };
        Assert.Equal("[]", await visitor.GetStringAsync("basket", Cancel));
        Assert.Equal("""["tea"]""", await AddAsync(visitor, "tea"));
        Assert.Equal("""["tea","milk"]""", await AddAsync(visitor, "milk"));
        Assert.Equal("[]", await stranger.GetStringAsync("basket", Cancel));

        // The app is killed, and started again: the cookie still names the session.
        await SamplePrograms.KillAsync(app);
        Assert.Equal(port, await SamplePrograms.AddressOfAsync(App(address, port)));
        Assert.Equal("""["tea","milk"]""", await visitor.GetStringAsync("basket", Cancel));

        // The server is killed: who asks meanwhile is told to come again, and nothing is lost when it is back.
        await SamplePrograms.KillAsync(server);
        using (HttpResponseMessage refused = await visitor.PostAsync("basket/sugar", content: null, Cancel))
        {
            Assert.Equal((HttpStatusCode.ServiceUnavailable, "1"), (refused.StatusCode, refused.Headers.RetryAfter?.ToString()));
        }

        Assert.Equal(address, await SamplePrograms.AddressOfAsync(_samples.StartServer(address)));
        await UntilAsync(async () => await AnswersAsync(visitor), "the app has found the server");
        Assert.Equal("""["tea","milk"]""", await visitor.GetStringAsync("basket", Cancel));
        Assert.Equal("""["tea","milk","sugar"]""", await AddAsync(visitor, "sugar"));
        using HttpResponseMessage emptied = await visitor.DeleteAsync("basket", Cancel);
        Assert.Equal("[]", await emptied.Content.ReadAsStringAsync(Cancel));
        Assert.Equal("Healthy", await visitor.GetStringAsync("health", Cancel));
    }

    private async Task<HttpClient> FrontAsync(string server, HttpClient office) => await SamplePrograms.ClientOfAsync(
        _samples.Start("ShopFront", "--urls", "http://127.0.0.1:0", "--PileClient:Address", server, "--office", office.BaseAddress!.ToString()));

    private Process App(string server, string urls = "http://127.0.0.1:0") => _samples.Start("SessionStore", "--urls", urls, "--PileClient:Address", server);

    private static async Task<Product> ProductAsync(HttpClient front) => (await front.GetFromJsonAsync<Product>("products/7", Cancel))!;

    private static async Task<HttpStatusCode> PutAsync(HttpClient office, string path, HttpContent? content = null)
    {
        using HttpResponseMessage answer = await office.PutAsync(path, content, Cancel);
        return answer.StatusCode;
    }

    private static async Task<string> AddAsync(HttpClient visitor, string item)
    {
        using HttpResponseMessage answer = await visitor.PostAsync($"basket/{item}", content: null, Cancel);
        return await answer.Content.ReadAsStringAsync(Cancel);
    }

    private static async Task<bool> AnswersAsync(HttpClient visitor)
    {
        using HttpResponseMessage answer = await visitor.GetAsync("basket", Cancel);
        return answer.IsSuccessStatusCode;
    }

    private static async Task UntilAsync(Func<Task<bool>> isSo, string what)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        late.CancelAfter(TimeSpan.FromMinutes(1));
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(50));
        while (!await isSo())
        {
            Assert.False(late.IsCancellationRequested, $"After a minute still waiting until {what}.");
            _ = await timer.WaitForNextTickAsync(Cancel);
        }
    }

    private sealed record Product(int Id, string Name, decimal Price);
}
