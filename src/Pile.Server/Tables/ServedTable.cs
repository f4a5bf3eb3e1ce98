// A table as calls see it: the cache's table of bytes, its name as it stands in messages, and what it was made with.
// It has no state of its own.
using System.Text;
using Pile.Cache;

namespace Pile.Server.Tables;

/// <summary>A table that clients can use.</summary>
/// <param name="name">Its name.</param>
/// <param name="options">What it was made with.</param>
/// <param name="entries">Its entries.</param>
internal sealed class ServedTable(string name, V1.TableOptions options, PileTable<byte[], byte[]> entries)
{
    internal string Name { get; } = name;

    internal byte[] Utf8 { get; } = Encoding.UTF8.GetBytes(name);

    internal V1.TableOptions Options { get; } = options;

    internal PileTable<byte[], byte[]> Entries { get; } = entries;
}
