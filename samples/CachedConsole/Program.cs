// The cache of WarmApi in a console program: no host, no services, no ASP.NET. It says how long each given text is, and finds what it has
// counted before, however the run before has ended: dotnet run -- <directory> <text>...
using System;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Caching;

using PileCache cache = PileCache.Open(args[0], new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
HybridCache lengths = new PileHybridCache(cache);
var day = new HybridCacheEntryOptions { Expiration = TimeSpan.FromDays(1) };
foreach (string text in args[1..])
{
    bool isCounted = false;
    int length = await lengths.GetOrCreateAsync(
        text,
        _ =>
        {
            isCounted = true;
            return ValueTask.FromResult(text.Length);
        },
        day);
    Console.WriteLine($"{text}: {length} chars, {(isCounted ? "counted" : "from the cache")}");
}
