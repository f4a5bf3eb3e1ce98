using System;
using System.Diagnostics;
using System.Net;
using System.Net.Http;
using System.Net.Http.Json;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Programs.Tests.Cached;

/// <summary>The samples with a cache, as processes: what was made or stored once is there after a kill -9.</summary>
public sealed class CachedProgramsTests : IDisposable
{
    private readonly SamplePrograms _samples = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _samples.Dispose();

    [Fact]
    public async Task TheWebApiAnswersWarmAfterAKill()
    {
        Process running = _samples.Start("WarmApi", "--urls", "http://127.0.0.1:0");
        int first = running.Id;
        using (HttpClient client = await SamplePrograms.ClientOfAsync(running))
        {
            Assert.Equal((7, "Product 7", first), await GetAsync(client, 7));
            Assert.Equal((8, "Product 8", first), await GetAsync(client, 8));
            Assert.Equal("Healthy", await client.GetStringAsync("health", Cancel));
            await SamplePrograms.KillAsync(running);
        }

        Process again = _samples.Start("WarmApi", "--urls", "http://127.0.0.1:0");
        using (HttpClient client = await SamplePrograms.ClientOfAsync(again))
        {
            Assert.Equal((7, "Product 7", first), await GetAsync(client, 7));
            Assert.Equal((8, "Product 8", first), await GetAsync(client, 8));
            Assert.Equal((9, "Product 9", again.Id), await GetAsync(client, 9));

            using HttpResponseMessage removed = await client.DeleteAsync("products", Cancel);
            Assert.True(removed.IsSuccessStatusCode);
            Assert.Equal((7, "Product 7", again.Id), await GetAsync(client, 7));
        }
    }

    /// <summary>The README starts the one and samples/README the other, both in the root of a clone.</summary>
    [Fact]
    public async Task TheWebApiRunsBesideAServerInTheSameFolder()
    {
        using HttpClient server = await SamplePrograms.ClientOfAsync(_samples.StartServer());
        Process running = _samples.Start("WarmApi", "--urls", "http://127.0.0.1:0");
        using HttpClient client = await SamplePrograms.ClientOfAsync(running);
        Assert.Equal((7, "Product 7", running.Id), await GetAsync(client, 7));
    }

    [Fact]
    public async Task TheConsoleProgramFindsWhatItHasCountedBefore()
    {
        Assert.Equal("one: 3 chars, counted\nthree: 5 chars, counted\n", await _samples.RunAsync("CachedConsole", "lengths", "one", "three"));
        Assert.Equal("three: 5 chars, from the cache\nseven: 5 chars, counted\n", await _samples.RunAsync("CachedConsole", "lengths", "three", "seven"));
    }

    [Fact]
    public async Task TheCatalogueFindsByTagWhatItWasGivenBeforeAKill()
    {
        Process running = _samples.Start("Catalogue", "--urls", "http://127.0.0.1:0");
        using (HttpClient client = await SamplePrograms.ClientOfAsync(running))
        {
            Assert.Equal(HttpStatusCode.NoContent, await PutAsync(client, 7, "Bolt", "steel", "m8"));
            Assert.Equal("[7]", await SearchAsync(client, "steel"));
            Assert.Equal(HttpStatusCode.NoContent, await PutAsync(client, 3, "Nut", "steel"));
            Assert.Equal("[3,7]", await SearchAsync(client, "steel"));
            Assert.Equal(HttpStatusCode.BadRequest, await PutAsync(client, 4, " ", "steel"));
            await SamplePrograms.KillAsync(running);
        }

        using (HttpClient client = await SamplePrograms.ClientOfAsync(_samples.Start("Catalogue", "--urls", "http://127.0.0.1:0")))
        {
            Assert.Equal("[3,7]", await SearchAsync(client, "steel"));
            Assert.Equal(HttpStatusCode.NoContent, await PutAsync(client, 7, "Bolt", "brass"));
            Assert.Equal("[3]", await SearchAsync(client, "steel"));
            Assert.Equal("[7]", await SearchAsync(client, "brass"));
            Assert.Contains("\"brass\"", await client.GetStringAsync("products/7", Cancel), StringComparison.Ordinal);
            using HttpResponseMessage removed = await client.DeleteAsync("products/3", Cancel);
            Assert.Equal(HttpStatusCode.NoContent, removed.StatusCode);
            Assert.Equal("[]", await SearchAsync(client, "steel"));
            using HttpResponseMessage again = await client.DeleteAsync("products/3", Cancel);
            Assert.Equal(HttpStatusCode.NotFound, again.StatusCode);
            Assert.Equal("Healthy", await client.GetStringAsync("health", Cancel));
        }
    }

    [Fact]
    public async Task JsonFromLeasesIsWhatWasStored()
    {
        using HttpClient client = await SamplePrograms.ClientOfAsync(_samples.Start("JsonFromLease", "--urls", "http://127.0.0.1:0", "--values", "100", "--bytes", "200"));
        for (int id = 0; id < 100; id += 33)
        {
            using HttpResponseMessage answer = await client.GetAsync($"products/{id}", Cancel);
            string json = await answer.Content.ReadAsStringAsync(Cancel);
            Assert.Equal(("application/json", 200), (answer.Content.Headers.ContentType!.MediaType, json.Length));
            Assert.StartsWith($"{{\"id\":{id},", json, StringComparison.Ordinal);
        }

        Assert.Equal(200, (await client.GetStringAsync("array/5", Cancel)).Length);
        foreach (string path in new[] { "products/100", "products/x", "products/-1" })
        {
            using HttpResponseMessage none = await client.GetAsync(path, Cancel);
            Assert.Equal(HttpStatusCode.NotFound, none.StatusCode);
        }
    }

    private static async Task<(int Id, string Name, int LoadedBy)> GetAsync(HttpClient client, int id)
    {
        Answer? answer = await client.GetFromJsonAsync<Answer>($"products/{id}", Cancel);
        return (answer!.Id, answer.Name, answer.LoadedBy);
    }

    private static async Task<HttpStatusCode> PutAsync(HttpClient client, int id, string name, params string[] tags)
    {
        using HttpResponseMessage answer = await client.PutAsJsonAsync($"products/{id}", new { name, price = 0.25m, tags }, Cancel);
        return answer.StatusCode;
    }

    private static async Task<string> SearchAsync(HttpClient client, string tag)
    {
        Answer[]? found = await client.GetFromJsonAsync<Answer[]>($"tags/{tag}", Cancel);
        return $"[{string.Join(',', Array.ConvertAll(found!, static one => one.Id))}]";
    }

    private sealed record Answer(int Id, string Name, int LoadedBy);
}
