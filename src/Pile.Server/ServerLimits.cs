// Every size, count and wait of the server that is not an option, each with its reason. Defaults and ranges of options are here too.
// docs/PROTOCOL.md repeats what a client can meet.
namespace Pile.Server;

/// <summary>Named limits of <c>src/Pile.Server</c>.</summary>
internal static class ServerLimits
{
    /// <summary>Bytes of a key: what a table of the cache takes.</summary>
    internal const int KeyBytesMax = Cache.CacheLimits.KeyBytesMax;

    /// <summary>Bytes of a tag: what a table of the cache takes.</summary>
    internal const int TagBytesMax = Cache.CacheLimits.TagBytesMax;

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

    /// <summary>Bytes of messages that Kestrel takes whether or not it is told: bodies of 30,000,000 bytes.</summary>
    internal const int BodyBytesUsual = 28 << 20;

    /// <summary>ReceiveBudgetBytes and ReplyBudgetBytes unless set, where the GC heap may have much.</summary>
    internal const long BudgetDefault = 256L << 20;

    /// <summary>Which part of the GC heap's limit, a container's for one, each of both takes at most unless set: what is received or answered is there up to twice for a
    /// moment, pools keep some, large arrays leave gaps, and a heap without room for a small object ends the process.</summary>
    internal const int BudgetPartOfHeap = 8;

    /// <summary>Bytes of a message that is being received that are not counted against the budget: what a stream's window lets in anyway.</summary>
    internal const int ReceiveFreeBytes = 64 << 10;

    /// <summary>Bytes of a reply that are not counted against the budget of replies: what a connection buffers anyway.</summary>
    internal const int ReplyFreeBytes = 64 << 10;

    /// <summary>Bytes of a message of SetLarge: a chunk, and a head with the longest key and all its tags.</summary>
    internal const int LargeMessageBytesMax = (256 << 10) + (1 << 20);

    /// <summary>Bytes of a message with a key to a call that may last: so few that it never counts against the budget, which it would for as long.</summary>
    internal const int KeyMessageBytesMax = ReceiveFreeBytes;

    /// <summary>How long a large value or message may stand still, as long as nothing of it is through.</summary>
    internal static readonly System.TimeSpan LargeIdle = System.TimeSpan.FromSeconds(30);

    /// <summary>Bytes of a large value or message that give it a second more.</summary>
    internal const int LargeBytesPerSecondMin = 64 << 10;

    /// <summary>How often messages that are too slow are looked for.</summary>
    internal static readonly System.TimeSpan PaceSweep = System.TimeSpan.FromSeconds(5);

    /// <summary>Items of a batch unless set.</summary>
    internal const int BatchItemsDefault = 65_536;

    /// <summary>The most items of a batch: their lengths take 8 bytes each beside the message.</summary>
    internal const int BatchItemsMax = 1 << 20;

    /// <summary>Tables unless set: each takes objects of the process, pages of an index and a row that is never evicted, and in a directory a file.</summary>
    internal const int TablesDefault = 1_024;

    /// <summary>The most that TablesMax can be: the list of tables is copied with each that is made.</summary>
    internal const int TablesMax = 1 << 20;

    /// <summary>Calls at once on a connection unless set.</summary>
    internal const int StreamsDefault = 256;

    /// <summary>Connections at once unless set, where the GC heap may have much.</summary>
    internal const int ConnectionsDefault = 4096;

    /// <summary>Bytes of the GC heap for each connection that there may be unless set. Most cost some tens of KiB; one that does its worst, with
    /// 256 calls half sent, some MiB.</summary>
    internal const int HeapBytesForConnection = 1 << 20;

    /// <summary>The least connections unless set, however small the heap is.</summary>
    internal const int ConnectionsMin = 64;

    /// <summary>Files that connections leave to the runtime, some 200, and to the cache, one for each 64 MiB and some for each table.</summary>
    internal const int FilesKept = 512;

    /// <summary>How long a connection may say nothing before it is asked whether its client is there: a watch may rightly be silent for hours.</summary>
    internal static readonly System.TimeSpan AliveAsked = System.TimeSpan.FromMinutes(1);

    /// <summary>How long the client has to answer: as long as a large value may stand still.</summary>
    internal static readonly System.TimeSpan AliveWait = LargeIdle;

    /// <summary>Bytes of a chunk of a large value.</summary>
    internal const int ChunkBytes = 256 << 10;

    /// <summary>Bytes of headers of a call: grpc clients keep to 8 KiB.</summary>
    internal const int HeaderBytesMax = 16 << 10;

    /// <summary>Entries of a page of a scan unless the call says so.</summary>
    internal const int ScanEntriesDefault = 1_000;

    /// <summary>The most entries of a page.</summary>
    internal const int ScanEntriesMax = 10_000;

    /// <summary>Bytes of keys and values of a page unless the call says so: well within the 4 MiB that clients take unless they are told more.</summary>
    internal const int ScanBytesDefault = 1 << 20;

    /// <summary>The least that a page can be asked to have: two of the longest keys.</summary>
    internal const int ScanBytesMin = 32 << 10;

    /// <summary>Entries looked at for one page: a prefix that few have must not keep a call busy.</summary>
    internal const int ScanLooksMax = 100_000;

    /// <summary>Scans at once: each keeps its table's index from shrinking.</summary>
    internal const int ScansMax = 256;

    /// <summary>How long a scan is kept for its next page.</summary>
    internal static readonly System.TimeSpan ScanIdle = System.TimeSpan.FromMinutes(1);

    /// <summary>How long at the least where another scan is wanted and there are as many as there may be: a client that reads on comes sooner, and one that has broken its scan off never does.</summary>
    internal static readonly System.TimeSpan ScanIdleWanted = System.TimeSpan.FromSeconds(5);

    /// <summary>Tries of Increment before it says that others are always quicker.</summary>
    internal const int IncrementTriesMax = 1_000;

    /// <summary>How long a lease lasts unless the call says so.</summary>
    internal const int LeaseMsDefault = 10_000;

    /// <summary>The longest lease: who waits for a client that has died waits so long.</summary>
    internal const int LeaseMsMax = 600_000;

    /// <summary>The longest wait for somebody else's lease: as long as one can last.</summary>
    internal const int LeaseWaitMsMax = LeaseMsMax;

    /// <summary>What a lease counts for beside its key: its objects and its timer, rounded up.</summary>
    internal const int LeaseBytes = 1 << 10;

    /// <summary>Bytes of all leases, 65,536 with short keys, and of the keys that calls wait for.</summary>
    internal const long LeaseBytesMax = 64L << 20;

    /// <summary>Calls that wait for leases at once: each keeps its call and a timer, some KiB.</summary>
    internal const int LeaseWaitersMax = 16_384;

    /// <summary>What a removed tag counts for beside its chars.</summary>
    internal const int RemovedTagBytes = 64;

    /// <summary>Bytes of tags that a table remembers for its leases: beyond, all of them end.</summary>
    internal const int RemovedTagsBytesMax = 1 << 20;

    /// <summary>Bytes of all watches together.</summary>
    internal const long WatchBytesMax = 256L << 20;

    /// <summary>What a watched table counts for: the cache keeps so many bytes of its events.</summary>
    internal const int WatchTableBytes = 1 << 20;

    /// <summary>What a watching stream counts for: a reply that waits for its client, and its objects.</summary>
    internal const int WatchStreamBytes = 64 << 10;

    /// <summary>Bytes of keys after which a reply of a watch is sent.</summary>
    internal const int WatchReplyBytes = 16 << 10;

    /// <summary>Events that are looked at for one reply of a watch.</summary>
    internal const int WatchEventsMax = 256;

    /// <summary>How long the events of a table are kept for a client that comes again.</summary>
    internal static readonly System.TimeSpan WatchKept = System.TimeSpan.FromMinutes(5);

    /// <summary>Milliseconds between the beats of a watch: more often would keep a core busy with nothing to tell.</summary>
    internal const uint BeatMsMin = 10;

    /// <summary>The rarest beat that says anything about what a client keeps.</summary>
    internal const uint BeatMsMax = 600_000;

    /// <summary>Chars of a name that stand in a message, or in the log.</summary>
    internal const int NameCharsShown = 100;

    /// <summary>Objects kept for reuse by calls: beyond, they are the collector's.</summary>
    internal const int PooledMax = 512;

    /// <summary>Bytes of a buffer that a pooled object keeps; larger ones go back to the array pool.</summary>
    internal const int PooledBytesMax = 64 << 10;

    /// <summary>Longest key for which arrays are kept by a thread.</summary>
    internal const int KeptKeyBytes = 128;

    /// <summary>Bytes of replies of a stream that are kept back to be sent together: what the connection buffers anyway.</summary>
    internal const int UnflushedBytesMax = 64 << 10;

    /// <summary>Bytes of a message to the health service, which anybody may send and a Watch keeps, and to reflection: the name of a service.</summary>
    internal const int NameMessageBytesMax = 4 << 10;

    /// <summary>Between two looks whether the cache takes no writes any more, for watches of health: as late as a check each second would see it.</summary>
    internal static readonly System.TimeSpan FailureLook = System.TimeSpan.FromSeconds(1);

    /// <summary>Watches of the health service at once, which anybody may make: one for each connection that there may be unless set.</summary>
    internal const int HealthWatchesMax = ConnectionsDefault;

    /// <summary>Keys that are looked up together.</summary>
    internal const int KeysTogether = 16;

    /// <summary>When a client that met a limit of the server shall try again.</summary>
    internal const int RetryAfterMs = 100;

    /// <summary>How often files of certificates and keys are looked at, at most, and only when they are needed.</summary>
    internal static readonly System.TimeSpan FilesLook = System.TimeSpan.FromSeconds(1);

    /// <summary>Bytes of a file of keys, and of what an authority tells: some hundred keys.</summary>
    internal const int KeyFileBytesMax = 1 << 20;

    /// <summary>How long an authority may take to tell its keys: calls wait for it the first time.</summary>
    internal static readonly System.TimeSpan AuthorityWait = System.TimeSpan.FromSeconds(10);

    /// <summary>How long a JSON Web Token that was found good is believed: so long a key that was taken back still counts.</summary>
    internal static readonly System.TimeSpan TokenBelieved = System.TimeSpan.FromMinutes(1);

    /// <summary>JSON Web Tokens that are believed at once: beyond, all are checked again.</summary>
    internal const int TokensKnownMax = 4_096;

    /// <summary>JSON Web Tokens from one address that are checked in vain in a second: each check of a signature takes as long as some ten calls.</summary>
    internal const int TokensRefusedPerSecondMax = 100;

    /// <summary>The most that clocks of an issuer and of the server may differ: beyond, one of them is wrong.</summary>
    internal static readonly System.TimeSpan ClockSkewMax = System.TimeSpan.FromMinutes(10);

    /// <summary>How long a stop waits for streams that were told of it; unary calls have the rest of the host's time.</summary>
    internal static readonly System.TimeSpan StreamsEndWait = System.TimeSpan.FromSeconds(5);

    /// <summary>How long a stop leaves clients to read the ends of their calls before their connections end: a .NET client that has not run
    /// since loses what stands in its buffer.</summary>
    internal static readonly System.TimeSpan EndsRead = System.TimeSpan.FromMilliseconds(250);

    /// <summary>Findings of a Verify that a reply lists.</summary>
    internal const int FindingsMax = 100;

    /// <summary>The most that CallsPerSecondMax can be: beyond what any machine serves.</summary>
    internal const int CallsPerSecondMax = 1_000_000_000;

    /// <summary>Clients whose rate is remembered at once.</summary>
    internal const int RateClientsMax = 65_536;

    /// <summary>Between two messages with measurements unless set, as OpenTelemetry has it.</summary>
    internal static readonly System.TimeSpan MetricsIntervalDefault = System.TimeSpan.FromMinutes(1);

    /// <summary>The shortest time between two messages with measurements: each polls all of them.</summary>
    internal static readonly System.TimeSpan MetricsIntervalMin = System.TimeSpan.FromSeconds(1);

    /// <summary>The longest time between two messages with measurements.</summary>
    internal static readonly System.TimeSpan MetricsIntervalMax = System.TimeSpan.FromHours(1);

    /// <summary>Bytes of the path of a Unix socket: what the system's address has room for, with a zero behind it.</summary>
    internal const int SocketPathBytesMax = 107;

    /// <summary>Points of an instrument that OpenTelemetry keeps at the least, as it has it.</summary>
    internal const int MetricPointsMin = 2_000;

    /// <summary>Tables of which each has points of its own in what is sent: the SDK makes room for them at once, for each instrument.</summary>
    internal const int TelemetryTablesMax = 16_384;

    /// <summary>How long a stop waits for the last measurements, and for the last activities, to be taken by a receiver.</summary>
    internal const int TelemetryEndWaitMs = 2_000;

    /// <summary>Lines of one kind that clients can cause, within <see cref="LinesWhile"/>; more are counted.</summary>
    internal const int LinesMax = 20;

    /// <summary>The time in which at most <see cref="LinesMax"/> of such lines are written.</summary>
    internal static readonly System.TimeSpan LinesWhile = System.TimeSpan.FromSeconds(1);
}
