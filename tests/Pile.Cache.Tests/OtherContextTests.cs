using System;
using System.Reflection;
using System.Runtime.Loader;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A table whose values are of a type that is loaded a second time, as a plug-in is.</summary>
public sealed class OtherContextTests
{
    [Fact]
    public void ATableOfTheSameNamesInAnotherLoadContextIsRefusedWithThatReason()
    {
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
        _ = cache.GetOrCreateTable<string, Order>("orders");
        Type other = new AssemblyLoadContext("collectible", isCollectible: true).LoadFromAssemblyPath(typeof(Order).Assembly.Location).GetType(typeof(Order).FullName!, throwOnError: true)!;
        MethodInfo asks = typeof(OtherContextTests).GetMethod(nameof(Ask), BindingFlags.Static | BindingFlags.NonPublic)!.MakeGenericMethod(other);
        foreach (PileTableOptions? options in new[] { null, new PileTableOptions() })
        {
            string message = Assert.Throws<PileTypeMismatchException>(() => asks.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [cache, options], null)).Message;
            Assert.Contains($"asked for were {(options is null ? "" : "Speculative, ")}keys of System.String and values of {typeof(Order)} of another load context", message, StringComparison.Ordinal);
        }

        Assert.DoesNotContain("load context", Assert.Throws<PileTypeMismatchException>(() => cache.GetOrCreateTable<string, int[]>("orders")).Message, StringComparison.Ordinal);
    }

    private static void Ask<TValue>(PileCache cache, PileTableOptions? options)
        where TValue : notnull => _ = cache.GetOrCreateTable<string, TValue>("orders", options);

    internal sealed class Order
    {
        public int Number { get; set; }
    }
}
