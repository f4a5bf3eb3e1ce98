// The catalogue's two tables: products, durable, and lists of products by tag, which are made from them and may be evicted at any time.
// A product that changes removes the lists of the tags that it had and has; a list that is being made meanwhile is not kept.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile;
using Pile.Cache;
using Pile.Caching;

namespace Catalogue;

/// <summary>Products, and searches in them. Thread-safe.</summary>
/// <param name="host">Where the cache is, once the host has started.</param>
internal sealed class Store(HostedPileCache host)
{
    // From the look at what a product was to the removal of the lists that had it.
    private readonly Lock _changes = new();

    private readonly Lazy<PileTable<int, Product>> _products = new(() =>
        host.Cache.GetOrCreateTable<int, Product>("products", new PileTableOptions { Kind = PileTableKind.Durable }));

    private readonly Lazy<PileTable<string, Found[]>> _lists = new(() => host.Cache.GetOrCreateTable<string, Found[]>("lists"));

    /// <summary>The product of a number, or null.</summary>
    internal Product? Find(int id) => _products.Value.TryGet(id, out Product? product) ? product : null;

    /// <summary>Stores a product; when the call returns, a power cut leaves it.</summary>
    /// <returns>False when the catalogue has no room.</returns>
    internal bool Put(int id, Product product)
    {
        lock (_changes)
        {
            Product? former = Find(id);
            if (!_products.Value.Set(id, product).IsStored)
            {
                return false;
            }

            Forget(former, product);
        }

        host.Cache.Pile.Commit();
        return true;
    }

    /// <summary>Removes a product.</summary>
    /// <returns>False when there is none.</returns>
    internal bool Remove(int id)
    {
        lock (_changes)
        {
            Product? former = Find(id);
            if (!_products.Value.Remove(id))
            {
                return false;
            }

            Forget(former);
        }

        host.Cache.Pile.Commit();
        return true;
    }

    /// <summary>The products with a tag, by number.</summary>
    internal Found[] Search(string tag) => _lists.Value.GetOrAdd(
        tag,
        tag => [.. _products.Value.Enumerate().Where(product => product.Value.Tags.Contains(tag)).Select(static product => new Found(product.Key, product.Value)).OrderBy(static found => found.Id)],
        new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1), Tags = [tag] } });

    private void Forget(params IEnumerable<Product?> products)
    {
        foreach (string tag in products.OfType<Product>().SelectMany(static product => product.Tags).Distinct())
        {
            _lists.Value.RemoveByTag(tag);
        }
    }
}
