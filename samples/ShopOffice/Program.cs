// The office of a shop, one of two web APIs that share a cache server. It has the products and changes them; all fronts hear of it by the
// tags that it removes. On the loopback interface alone, unless --urls says otherwise.
using System;
using System.IO;
using System.Threading;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Shop;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
builder.AddSharedCache();
_ = builder.Services.AddSingleton(new Products());
if (builder.Configuration["urls"] is null)
{
    builder.Configuration["urls"] = "http://127.0.0.1:5083";
}

await using WebApplication app = builder.Build();
_ = app.MapGet("/products/{id:int}", static async (int id, Products products, CancellationToken cancel) =>
    await products.FindAsync(id, cancel) is { } product ? Results.Ok(product) : Results.NotFound());
_ = app.MapGet("/lookups", static (Products products) => products.Lookups);

// The change first, then the tag: a front that has asked in between holds a copy that began before the removal, and no longer counts.
_ = app.MapPut("/products/{id:int}", static async (int id, decimal price, Products products, HybridCache cache) =>
{
    if (!products.SetPrice(id, price))
    {
        return Results.NotFound();
    }

    await cache.RemoveByTagAsync(SharedCache.TagOf(id));
    return Results.NoContent();
});
_ = app.MapPut("/sale/{percent:int:range(0,90)}", static async (int percent, Products products, HybridCache cache) =>
{
    products.TakeOff(percent);
    await cache.RemoveByTagAsync(SharedCache.AllProducts);
});

// Straight into the server: there is no copy elsewhere, so the fronts see it with their next read.
_ = app.MapPut("/notice", static async (HttpRequest request, IDistributedCache cache, CancellationToken cancel) =>
{
    using var reader = new StreamReader(request.Body);
    await cache.SetStringAsync("notice", await reader.ReadToEndAsync(cancel), new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromDays(1) }, cancel);
});
_ = app.MapHealthChecks("/health");
await app.RunAsync();
