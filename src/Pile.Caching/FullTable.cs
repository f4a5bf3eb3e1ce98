// What adapters do where a table has no room, for their callers are not told: a speculative table has no value rather than the former one,
// which the caller believes replaced, and a durable one, of which nothing may be lost, refuses.
using Pile.Cache;
using Pile.Cache.Engine;

namespace Pile.Caching;

/// <summary>Tables without room.</summary>
internal static class FullTable
{
    /// <summary>Sees to what a store has come to.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="bytes">Bytes of the value, for the message; negative where they are not known.</param>
    /// <param name="result">What the store answered.</param>
    /// <exception cref="PileFullException">The table is durable, and has no room.</exception>
    internal static void Settle<TKey, TValue>(PileTable<TKey, TValue> table, TKey key, long bytes, PileSetResult result)
        where TKey : notnull
        where TValue : notnull
    {
        if (result.Outcome != PileSetOutcome.Full)
        {
            return;
        }

        if (table.Parts.Options.Kind == PileTableKind.Durable)
        {
            string size = bytes < 0 ? "value" : $"{bytes:N0} bytes";
            throw new PileFullException($"The durable table '{table.Name}' has no room for the {size} of '{key}'" + (LackOfRoom.OfDevice(table.Cache) is { } device
                ? $": {device}. What its key had is as it was. Free space on the device, or remove entries."
                : $", within the {table.Cache.Pile.MemoryLimitBytes:N0} bytes of its cache. What its key had is as it was. Raise MemoryLimitBytes, or remove entries."));
        }

        _ = table.Remove(key);
    }
}
