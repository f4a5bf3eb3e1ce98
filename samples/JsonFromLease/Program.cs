// Ready-made JSON out of a cache into the socket, without an object and without a byte[] between: the lease's bytes are written into Kestrel's
// buffer. /products/7 answers so; /array/7 writes one static array of as many bytes, which is the most that Kestrel can do.
using System;
using System.Globalization;
using System.Threading.Tasks;
using JsonFromLease;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Cache;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
_ = builder.Logging.SetMinimumLevel(LogLevel.Warning);
if (builder.Configuration["urls"] is null)
{
    builder.Configuration["urls"] = "http://127.0.0.1:5081";
}

int values = builder.Configuration.GetValue("values", 10_000);
int valueBytes = builder.Configuration.GetValue("bytes", 1024);
using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = (64L << 20) + (values * (valueBytes + 128L)) });
PileTable<int, byte[]> products = cache.GetOrCreateTable<int, byte[]>("products");
for (int id = 0; id < values; id++)
{
    if (!products.Set(id, ProductJson.Of(id, valueBytes)).IsStored)
    {
        throw new InvalidOperationException($"{id} of {values} values found room.");
    }
}

byte[] array = ProductJson.Of(0, valueBytes);
await using WebApplication app = builder.Build();
app.Run(context =>
{
    string path = context.Request.Path.Value!;
    int slash = path.LastIndexOf('/');
    if (!int.TryParse(path.AsSpan(slash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int id))
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return Task.CompletedTask;
    }

    return path.StartsWith("/array/", StringComparison.Ordinal) ? Answers.OfArray(context.Response, array) : Answers.OfLease(context.Response, products, id);
});
await app.StartAsync();
Console.WriteLine($"{values} values of {valueBytes} bytes, {cache.GetStatistics().UsedBytes} bytes in use. Listening on {string.Join(' ', app.Urls)}");
await app.WaitForShutdownAsync();
