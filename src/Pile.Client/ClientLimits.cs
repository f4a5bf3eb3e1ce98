// Limits of this project, each with its reason.
// docs/CLIENT.md lists them.
using System;

namespace Pile.Client;

/// <summary>Named limits.</summary>
internal static class ClientLimits
{
    /// <summary>The trailer in which the server says more of an error.</summary>
    internal const string DetailTrailer = "pile-error-bin";

    /// <summary>Bytes of a chunk of a large value: what the protocol allows.</summary>
    internal const int ChunkBytes = 262_144;

    /// <summary>Values beyond travel in chunks: a quarter of what the server takes as one message unless set otherwise, so that no other call waits
    /// long behind one.</summary>
    internal const int WholeValueBytesMax = 4 << 20;

    /// <summary>Bytes of the longest key that any server takes.</summary>
    internal const int KeyBytesMax = 15 << 10;

    /// <summary>The longest value that an array can hold together with what stands around it.</summary>
    internal const long ValueBytesMax = 268_435_455;

    /// <summary>Bytes that the server may send on a stream before it is told that they were read.</summary>
    internal const int WindowBytes = 4 << 20;

    /// <summary>The same as HTTP/2 has it until it is told otherwise.</summary>
    internal const int WindowBytesFirst = 65_535;

    /// <summary>Bytes of a frame of HTTP/2, until the server says that it takes more; those that are taken have no more.</summary>
    internal const int FrameBytesMax = 16_384;

    /// <summary>Bytes that are received at once: some whole frames.</summary>
    internal const int InputBytes = 64 << 10;

    /// <summary>Bytes that wait for the socket: beyond, who writes waits.</summary>
    internal const int OutputBytesMax = 256 << 10;

    /// <summary>Bytes of the headers of a response: more than any server or proxy sends.</summary>
    internal const int HeaderBytesMax = 64 << 10;

    /// <summary>Items of one message of a call of many: what the server takes unless set otherwise.</summary>
    internal const int ManyItemsMax = 4096;

    /// <summary>Bytes of keys and values of one message of a call of many; replies may be longer.</summary>
    internal const int ManyBytesMax = 1 << 20;

    /// <summary>Calls of one kind in one message of a stream, far below what the server takes unless set otherwise.</summary>
    internal const int BatchItemsMax = 1024;

    /// <summary>Bytes of keys and values in one message of a stream.</summary>
    internal const int BatchBytesMax = 1 << 20;

    /// <summary>Values beyond travel by themselves: copying them twice and letting others wait costs more than a call of their own.</summary>
    internal const int BatchedValueBytesMax = 64 << 10;

    /// <summary>Batches that are under way at once on one stream: with fewer the server may have nothing to do while replies travel, with more
    /// calls find less company.</summary>
    internal const int BatchesTogether = 2;

    /// <summary>Calls in a batch that does not wait for others, however many are under way.</summary>
    internal const int BatchItemsEnough = 128;

    /// <summary>Batches that are being filled and are looked through for one that a call fits into.</summary>
    internal const int BatchesLookedAt = 8;

    /// <summary>Bytes of a message that a client takes: the largest value with its frame.</summary>
    internal const int MessageBytesMax = 272 << 20;

    /// <summary>Objects of a type that wait for use.</summary>
    internal const int PooledMax = 4096;

    /// <summary>Buffers of more bytes are not kept for use.</summary>
    internal const int PooledBytesMax = 256 << 10;

    /// <summary>Bytes of all batches that wait for use, those of all clients of the process together: sixteen of the largest that are kept, or thousands of small ones.</summary>
    internal const int PooledBatchBytesMax = 16 << 20;

    /// <summary>Bytes with which the buffer of a line begins in which messages are written.</summary>
    internal const int WriteBytesFirst = 16 << 10;

    /// <summary>A line's buffer of more bytes is let go once it is sent: four full messages, so that a steady stream of them makes none anew.</summary>
    internal const int WriteBytesKept = 4 << 20;

    /// <summary>How often calls under way are looked through for those whose time is over: they end at most so much later.</summary>
    internal static readonly TimeSpan DeadlineLook = TimeSpan.FromMilliseconds(50);

    /// <summary>How long a batch of changes is under way before its server is taken to hold it: until a flush makes room, say.</summary>
    internal static readonly TimeSpan HeldAfter = TimeSpan.FromMilliseconds(200);

    /// <summary>How long after a change was held reads stay on lines of their own: where one was more will be, and the reads that are under way as it begins wait with it.</summary>
    internal static readonly TimeSpan ReadsApartLast = TimeSpan.FromSeconds(10);

    /// <summary>How long a client that was refused a stream goes by calls of their own before it asks again: what it may do can change.</summary>
    internal static readonly TimeSpan RefusalLasts = TimeSpan.FromMinutes(1);

    /// <summary>Tries beyond which nothing is won by one more.</summary>
    internal const int RetriesMost = 10;

    /// <summary>Connections of one client: beyond, a second client says better what is meant.</summary>
    internal const int ConnectionsMost = 64;

    /// <summary>Connections of stores in chunks that wait for the next one: more stores are seldom under way at once.</summary>
    internal const int LargeIdleMax = 4;

    /// <summary>How long such a connection waits: a program that stores now and then makes one anew.</summary>
    internal static readonly TimeSpan LargeIdleLasts = TimeSpan.FromMinutes(1);

    /// <summary>The first wait before a call is tried again; each further one is twice as long.</summary>
    internal static readonly TimeSpan RetryWait = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest wait before a call is tried again.</summary>
    internal static readonly TimeSpan RetryWaitMax = TimeSpan.FromSeconds(2);

    /// <summary>Tries that may be made again at once, before calls that succeed allow more.</summary>
    internal const int RetryBudget = 100;

    /// <summary>Calls that must succeed for one more that may be tried again: a server in need gets at most a tenth more to do.</summary>
    internal const int SuccessesPerRetry = 10;

    /// <summary>Parts of a near table, each with a lock for reads of the server and for changes: more than cores that could meet.</summary>
    internal const int NearParts = 64;

    /// <summary>Reads of a key that a near table begins anew because it was changed meanwhile, before one is answered as it is and not kept.</summary>
    internal const int NearReadsMax = 3;

    /// <summary>Beats within the staleness that a near cache allows: two may be late or lost.</summary>
    internal const int NearBeats = 4;

    /// <summary>Beats are no rarer than this, so that a dead watch is noticed.</summary>
    internal static readonly TimeSpan NearBeatMax = TimeSpan.FromMinutes(1);

    /// <summary>Clocks of two machines differ in pace by less than one in so many: quartzes are ten times better.</summary>
    internal const int NearPace = 1000;

    /// <summary>A stream of a near cache is renewed after so many times the staleness that it allows: what NearPace takes off is a tenth of it then.</summary>
    internal const int NearStreamLife = NearPace / 10;

    /// <summary>The least and the most staleness that a near cache can be asked for.</summary>
    internal static readonly TimeSpan NearStalenessMin = TimeSpan.FromMilliseconds(100);

    /// <summary>Beyond, entries with an end of their own say better what is meant.</summary>
    internal static readonly TimeSpan NearStalenessMost = TimeSpan.FromHours(1);

    /// <summary>Silence after which a watch is begun anew is never less than this, so that a slow connection comes about.</summary>
    internal static readonly TimeSpan NearSilenceMin = TimeSpan.FromSeconds(5);

    /// <summary>The least memory of a near cache: what a cache needs.</summary>
    internal const long NearMemoryMin = 1L << 20;

    /// <summary>Bytes of a value that a near cache can be asked to keep: what one message of a server takes unless set otherwise.</summary>
    internal const int NearValueMost = 16 << 20;

    /// <summary>Bytes of a key that are made on the stack for a look at a near table; they are cleared each time.</summary>
    internal const int NearKeyOnStack = 128;

    /// <summary>Milliseconds by which the system's coarse clock may lag: six times as long as the rarest timer interrupt takes to come.</summary>
    internal const long CoarseClockLagMaxMs = 100;

    /// <summary>How long a call for a lease waits for somebody else's where calls have no deadline; it is made again then.</summary>
    internal static readonly TimeSpan LeaseWait = TimeSpan.FromSeconds(30);
}
