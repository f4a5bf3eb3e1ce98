// Records on their way from a crawl into the table, a handful at a time: their entries are asked for while the next ones are checked,
// so that the table's cache misses overlap. One walk's own; it judges nothing.
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>A window of one walk.</summary>
/// <param name="builder">Gets the records.</param>
internal sealed class CrawlWindow(TableBuilder builder)
{
    private readonly LogRecord[] _records = new LogRecord[FileLimits.CrawlLookahead];
    private int _count;

    /// <summary>Adds a record.</summary>
    /// <returns>False when the table has no room for one that was collected.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryAdd(in LogRecord record)
    {
        builder.Prefetch(record.Slot);
        _records[_count++] = record;
        return _count < _records.Length || TryEmpty();
    }

    /// <summary>Gives what is left to the table.</summary>
    /// <returns>False when the table has no room for one of them.</returns>
    internal bool TryEmpty()
    {
        int count = _count;
        _count = 0;
        return count == 0 || builder.TryAdd(_records, count);
    }
}
