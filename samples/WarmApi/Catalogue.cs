// Where products come from when they are not cached: a slow place, here a timer.
// Each says which process has loaded it.
using System;
using System.Threading;
using System.Threading.Tasks;

namespace WarmApi;

/// <summary>The products.</summary>
internal static class Catalogue
{
    /// <summary>Loads a product.</summary>
    internal static async ValueTask<Product> LoadAsync(int id, CancellationToken cancel)
    {
        using PeriodicTimer slow = new(TimeSpan.FromMilliseconds(200));
        _ = await slow.WaitForNextTickAsync(cancel);
        return new Product(id, $"Product {id}", Environment.ProcessId);
    }
}
