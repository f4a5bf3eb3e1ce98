// Every size, count and wait of the server that is not an option, each with its reason. Defaults and ranges of options are here too.
// docs/PROTOCOL.md repeats what a client can meet.
namespace Pile.Server;

/// <summary>Named limits of <c>src/Pile.Server</c>.</summary>
internal static class ServerLimits
{
    /// <summary>Bytes of a key: what a table of the cache takes.</summary>
    internal const int KeyBytesMax = 16_383;

    /// <summary>Chars of a table's name: what a table of the cache takes.</summary>
    internal const int TableNameCharsMax = 256;

    /// <summary>Bytes of a value: what a pile takes.</summary>
    internal const int ValueBytesMax = 268_435_455;

    /// <summary>Bytes of a value unless set.</summary>
    internal const int ValueBytesDefault = 64 << 20;

    /// <summary>The least that MessageBytesMax can be: a key and what stands beside it.</summary>
    internal const int MessageBytesMin = 64 << 10;

    /// <summary>The most that MessageBytesMax can be: beyond it GetLarge and SetLarge do better.</summary>
    internal const int MessageBytesMax = 256 << 20;

    /// <summary>MessageBytesMax unless set: values of 10 MB and what stands beside them.</summary>
    internal const int MessageBytesDefault = 16 << 20;

    /// <summary>ReceiveBudgetBytes unless set.</summary>
    internal const long ReceiveBudgetDefault = 256L << 20;

    /// <summary>Bytes of a message that is being received that are not counted against the budget: what a stream's window lets in anyway.</summary>
    internal const int ReceiveFreeBytes = 64 << 10;

    /// <summary>Items of a batch unless set.</summary>
    internal const int BatchItemsDefault = 65_536;

    /// <summary>The most items of a batch: their lengths take 8 bytes each beside the message.</summary>
    internal const int BatchItemsMax = 1 << 20;

    /// <summary>Calls at once on a connection unless set.</summary>
    internal const int StreamsDefault = 256;

    /// <summary>Connections at once unless set.</summary>
    internal const int ConnectionsDefault = 4096;

    /// <summary>Bytes of a chunk of a large value.</summary>
    internal const int ChunkBytes = 256 << 10;

    /// <summary>Bytes of headers of a call: grpc clients keep to 8 KiB.</summary>
    internal const int HeaderBytesMax = 16 << 10;

    /// <summary>Entries of a page of a scan unless the call says so.</summary>
    internal const int ScanEntriesDefault = 1_000;

    /// <summary>The most entries of a page.</summary>
    internal const int ScanEntriesMax = 10_000;

    /// <summary>Bytes of keys and values after which a page ends.</summary>
    internal const int ScanBytes = 256 << 10;

    /// <summary>Entries looked at for one page: a prefix that few have must not keep a call busy.</summary>
    internal const int ScanLooksMax = 100_000;

    /// <summary>Scans at once: each keeps its table's index from shrinking.</summary>
    internal const int ScansMax = 256;

    /// <summary>How long a scan is kept for its next page.</summary>
    internal static readonly System.TimeSpan ScanIdle = System.TimeSpan.FromMinutes(1);

    /// <summary>Tries of Increment before it says that others are always quicker.</summary>
    internal const int IncrementTriesMax = 1_000;

    /// <summary>Chars of a table's name that stand in a message.</summary>
    internal const int NameCharsShown = 100;

    /// <summary>Objects kept for reuse by calls: beyond, they are the collector's.</summary>
    internal const int PooledMax = 512;

    /// <summary>Bytes of a buffer that a pooled object keeps; larger ones go back to the array pool.</summary>
    internal const int PooledBytesMax = 64 << 10;

    /// <summary>Longest key for which arrays are kept by a thread.</summary>
    internal const int KeptKeyBytes = 128;

    /// <summary>Bytes of replies of a stream that are kept back to be sent together: what the connection buffers anyway.</summary>
    internal const int UnflushedBytesMax = 64 << 10;

    /// <summary>Bytes of a message to the health service, which anybody may send and a Watch keeps: the name of a service.</summary>
    internal const int HealthBytesMax = 4 << 10;

    /// <summary>Keys that are looked up together.</summary>
    internal const int KeysTogether = 16;

    /// <summary>When a client that met a limit of the server shall try again.</summary>
    internal const int RetryAfterMs = 100;

    /// <summary>How often a certificate's files are looked at, at most, and only when a client connects.</summary>
    internal static readonly System.TimeSpan CertificateLook = System.TimeSpan.FromSeconds(1);

    /// <summary>How long a stop waits for streams that were told of it; unary calls have the rest of the host's time.</summary>
    internal static readonly System.TimeSpan StreamsEndWait = System.TimeSpan.FromSeconds(5);

    /// <summary>Findings of a Verify that a reply lists.</summary>
    internal const int FindingsMax = 100;

    /// <summary>Clients whose rate is remembered at once.</summary>
    internal const int RateClientsMax = 65_536;
}
