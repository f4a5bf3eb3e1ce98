// What is measured by a workload: a cache in a directory, or one behind a server.
// A request of one entry is a plain call; one of several is a batch.
using System.Threading.Tasks;

namespace Pile.Tool.Measuring;

/// <summary>Takes requests. Thread-safe.</summary>
internal interface IMeasured
{
    /// <summary>Stores a value under keys.</summary>
    ValueTask SetAsync(byte[][] keys, byte[] value);

    /// <summary>Reads keys.</summary>
    ValueTask GetAsync(byte[][] keys);
}
