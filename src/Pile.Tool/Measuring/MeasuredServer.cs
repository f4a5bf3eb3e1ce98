// A table of a server, under a workload. Requests are spread over the connections.
// The value of a batch is stored under each of its keys.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client;

namespace Pile.Tool.Measuring;

/// <summary>Requests on a server. Thread-safe.</summary>
/// <param name="tables">The table, by each connection.</param>
/// <param name="stop">Ends requests.</param>
internal sealed class MeasuredServer(PileClientTable[] tables, CancellationToken stop) : IMeasured
{
    private int _next;

    /// <inheritdoc/>
    public async ValueTask SetAsync(byte[][] keys, byte[] value)
    {
        PileClientTable table = Next();
        if (keys.Length == 1)
        {
            _ = await table.SetAsync(keys[0], value, default, stop).ConfigureAwait(false);
            return;
        }

        _ = await table.SetManyAsync(Array.ConvertAll(keys, key => new KeyValuePair<PileKey, ReadOnlyMemory<byte>>(key, value)), default, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask GetAsync(byte[][] keys)
    {
        PileClientTable table = Next();
        if (keys.Length == 1)
        {
            _ = await table.GetAsync(keys[0], stop).ConfigureAwait(false);
            return;
        }

        _ = await table.GetManyAsync(Array.ConvertAll(keys, static key => new PileKey(key)), stop).ConfigureAwait(false);
    }

    private PileClientTable Next() => tables[(int)((uint)Interlocked.Increment(ref _next) % (uint)tables.Length)];
}
