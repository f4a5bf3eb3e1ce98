// What the hosting of caches and their adapters write to the log. Event ids are stable from 201 on; those below are Pile.Hosting's and
// the EventSource's. Failures of what stands behind a HybridCache are under the category "Pile.Caching".
using System;
using Microsoft.Extensions.Logging;

namespace Pile.Caching;

/// <summary>The messages.</summary>
internal static partial class CacheLog
{
    internal const string Category = "Pile.Caching";

    [LoggerMessage(EventId = 201, Message = "Table '{Table}' of {Cache}: {Entries} entries, {Reason}")]
    internal static partial void TableFound(ILogger logger, LogLevel level, string cache, string table, long entries, string reason);

    [LoggerMessage(202, LogLevel.Warning, "The cache behind failed to {Operation} '{Key}'; it is gone on without. {LeftOut} more such failures since the last line")]
    internal static partial void BehindFailed(ILogger logger, string operation, string key, long leftOut, Exception? exception);

    [LoggerMessage(206, LogLevel.Information, "Found in {Cache}: tables {Tables}, entries {Entries}, bytes {UsedBytes} of at most {LimitBytes}")]
    internal static partial void CacheFound(ILogger logger, string cache, int tables, long entries, long usedBytes, long limitBytes);

    [LoggerMessage(205, LogLevel.Warning, "The files of {Cache} take {UsedBytes} bytes, more than the limit of {LimitBytes}: entries that may be evicted leave until they do not")]
    internal static partial void OverLimit(ILogger logger, string cache, long usedBytes, long limitBytes);

    [LoggerMessage(203, LogLevel.Warning, "The entry '{Key}' of the table '{Table}' could not be read as {Type}: a miss")]
    internal static partial void Unreadable(ILogger logger, string key, string table, string type, Exception? exception);

    [LoggerMessage(204, LogLevel.Error, "An eviction callback of the entry '{Key}' of the table '{Table}' failed")]
    internal static partial void CallbackFailed(ILogger logger, string key, string table, Exception exception);
}
