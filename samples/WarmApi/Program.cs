// A web API whose answers take a while to make, with a HybridCache in files before them: whatever was answered once is answered at once
// after a restart too, a kill -9 included. On the loopback interface alone, and of 10,000 products.
using System;
using System.Threading;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Pile.Caching;
using WarmApi;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
_ = builder.AddPileCache(static options =>
{
    options.Directory ??= "warm-cache";
    options.Cache = options.Cache with { MemoryLimitBytes = options.Cache.MemoryLimitBytes ?? 256 << 20 };
});
_ = builder.Services.AddPileHybridCache();
_ = builder.Services.AddHealthChecks().AddPileCache();
if (builder.Configuration["urls"] is null)
{
    builder.Configuration["urls"] = "http://127.0.0.1:5080";
}

await using WebApplication app = builder.Build();
var day = new HybridCacheEntryOptions { Expiration = TimeSpan.FromDays(1) };
_ = app.MapGet("/products/{id:int:range(1,10000)}", (int id, HybridCache cache, CancellationToken cancel) =>
    cache.GetOrCreateAsync($"product:{id}", id, Catalogue.LoadAsync, day, ["products"], cancel));
_ = app.MapDelete("/products", static (HybridCache cache, CancellationToken cancel) => cache.RemoveByTagAsync("products", cancel).AsTask());
_ = app.MapHealthChecks("/health");
await app.RunAsync();
