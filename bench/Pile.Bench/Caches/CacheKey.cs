using System.Runtime.CompilerServices;

namespace Pile.Bench.Caches;

/// <summary>A key of 12 bytes, without an object for it.</summary>
[InlineArray(CacheEntries.KeyBytes)]
internal struct CacheKey
{
    private byte _first;
}
