// A product catalogue as a web API, without a database: its products are a durable table, its searches a speculative one. On the loopback
// interface alone, unless --urls says otherwise.
using System.Linq;
using Catalogue;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Pile.Caching;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
_ = builder.AddPileCache(static options =>
{
    options.Directory ??= "catalogue";
    options.Cache = options.Cache with { MemoryLimitBytes = options.Cache.MemoryLimitBytes ?? 256 << 20 };
});
_ = builder.Services.AddSingleton<Store>();
_ = builder.Services.AddHealthChecks().AddPileCache();
if (builder.Configuration["urls"] is null)
{
    builder.Configuration["urls"] = "http://127.0.0.1:5082";
}

await using WebApplication app = builder.Build();
_ = app.MapGet("/products/{id:int}", static (int id, Store store) => store.Find(id) is { } product ? Results.Ok(product) : Results.NotFound());
_ = app.MapPut("/products/{id:int}", static (int id, Product product, Store store) =>
    string.IsNullOrWhiteSpace(product.Name) || product.Tags is null || product.Tags.Length > 16 || !product.Tags.All(static tag => tag is { Length: > 0 and <= 64 })
        ? Results.BadRequest("A product has a name and at most 16 tags of 1 to 64 chars.")
        : store.Put(id, product) ? Results.NoContent() : Results.StatusCode(StatusCodes.Status507InsufficientStorage));
_ = app.MapDelete("/products/{id:int}", static (int id, Store store) => store.Remove(id) ? Results.NoContent() : Results.NotFound());
_ = app.MapGet("/tags/{tag}", static (string tag, Store store) => store.Search(tag));
_ = app.MapHealthChecks("/health");
await app.RunAsync();
