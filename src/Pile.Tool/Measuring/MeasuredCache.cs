// A cache in a directory, under a workload. Its table is durable, so that nothing is evicted and a read finds what was stored.
// The value of a batch is stored under each of its keys.
using System;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Tool.Running;

namespace Pile.Tool.Measuring;

/// <summary>Requests on a table of a cache. Thread-safe.</summary>
/// <param name="table">The table.</param>
internal sealed class MeasuredCache(PileTable<byte[], byte[]> table) : IMeasured
{
    /// <inheritdoc/>
    public ValueTask SetAsync(byte[][] keys, byte[] value)
    {
        int stored;
        if (keys.Length == 1)
        {
            stored = table.Set(keys[0], value.AsSpan()).IsStored ? 1 : 0;
        }
        else
        {
            byte[][] values = new byte[keys.Length][];
            Array.Fill(values, value);
            stored = table.SetMany(keys, values);
        }

        return stored == keys.Length ? default : throw new ToolException(ExitCode.Failed, "The device has not the space for the entries of the measurement. Give --keys fewer, --bytes less, or another directory.");
    }

    /// <inheritdoc/>
    public ValueTask GetAsync(byte[][] keys)
    {
        if (keys.Length == 1)
        {
            _ = table.TryGet(keys[0], out _);
        }
        else
        {
            _ = table.GetMany(keys, new byte[]?[keys.Length]);
        }

        return default;
    }
}
