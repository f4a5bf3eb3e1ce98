// The products of the shop, in the place of a database: looking one up takes its time, and is counted.
using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Shop;

/// <summary>The products. Thread-safe.</summary>
internal sealed class Products
{
    private const int Count = 1000;
    private readonly ConcurrentDictionary<int, Product> _all = [];
    private int _lookups;

    internal Products()
    {
        for (int id = 1; id <= Count; id++)
        {
            _all[id] = new Product(id, $"Product {id}", id + 0.95m);
        }
    }

    /// <summary>How often a product was looked up.</summary>
    internal int Lookups => Volatile.Read(ref _lookups);

    /// <summary>Looks a product up.</summary>
    internal async Task<Product?> FindAsync(int id, CancellationToken cancel)
    {
        _ = Interlocked.Increment(ref _lookups);
        using PeriodicTimer slow = new(TimeSpan.FromMilliseconds(200));
        _ = await slow.WaitForNextTickAsync(cancel);
        return _all.TryGetValue(id, out Product? found) ? found : null;
    }

    /// <summary>Gives a product another price.</summary>
    /// <returns>Whether there is such a product.</returns>
    internal bool SetPrice(int id, decimal price)
    {
        while (_all.TryGetValue(id, out Product? before))
        {
            if (_all.TryUpdate(id, before with { Price = price }, before))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Takes so many percent off all prices.</summary>
    internal void TakeOff(int percent)
    {
        foreach ((int id, Product product) in _all)
        {
            _ = SetPrice(id, decimal.Round(product.Price * (100 - percent) / 100, 2));
        }
    }
}
