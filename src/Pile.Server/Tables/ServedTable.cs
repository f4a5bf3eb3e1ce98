// A table as calls see it: the cache's table of bytes, its name as it stands in messages, and what it was made with.
// Beside them stand the leases of its keys, and who watches it.
using System.Text;
using Pile.Cache;
using Pile.Server.Leases;
using Pile.Server.Watching;

namespace Pile.Server.Tables;

/// <summary>A table that clients can use.</summary>
/// <param name="name">Its name.</param>
/// <param name="options">What it was made with.</param>
/// <param name="entries">Its entries.</param>
/// <param name="leases">The room for its leases.</param>
/// <param name="watches">The room for its watches.</param>
internal sealed class ServedTable(string name, V1.TableOptions options, PileTable<byte[], byte[]> entries, LeaseRoom leases, WatchRoom watches)
{
    internal string Name { get; } = name;

    internal byte[] Utf8 { get; } = Encoding.UTF8.GetBytes(name);

    internal V1.TableOptions Options { get; } = options;

    internal PileTable<byte[], byte[]> Entries { get; } = entries;

    /// <summary>Whether it was dropped from the cache.</summary>
    internal bool HasEnded => Entries.Core.Parts.IsDropped;

    /// <summary>The leases of its keys. Who changes a key outdates its lease before, and ends it after.</summary>
    internal TableLeases Leases { get; } = new(leases);

    /// <summary>Who watches it.</summary>
    internal TableWatches Watches { get; } = new(watches, entries.Watch);
}
