// A front of a shop, the other of two web APIs that share a cache server: it only reads. On the loopback interface alone, unless --urls says
// otherwise; the office is at --office, the cache server at --PileClient:Address.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Shop;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
builder.AddSharedCache();
var office = new Uri((builder.Configuration["office"] ?? "http://127.0.0.1:5083").TrimEnd('/') + "/");
_ = builder.Services.AddHttpClient<Office>(http => http.BaseAddress = office);
_ = builder.Services.AddTransient<Shelf>();
if (builder.Configuration["urls"] is null)
{
    builder.Configuration["urls"] = "http://127.0.0.1:5084";
}

await using WebApplication app = builder.Build();
_ = app.MapGet("/products/{id:int}", static async (int id, Shelf shelf, CancellationToken cancel) =>
    await shelf.LookAtAsync(id, cancel) is { } product ? Results.Ok(product) : Results.NotFound());
_ = app.MapGet("/basket", static async (int[] id, Shelf shelf, CancellationToken cancel) =>
    (await Task.WhenAll(id.Select(async one => await shelf.PayForAsync(one, cancel)))).Sum(static product => product?.Price ?? 0));
_ = app.MapGet("/notice", static async (IDistributedCache cache, CancellationToken cancel) => await cache.GetStringAsync("notice", cancel) ?? "");
_ = app.MapHealthChecks("/health");
await app.RunAsync();
