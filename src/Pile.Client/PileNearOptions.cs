// What a near cache is made with. Judged when it is made; later changes have no effect.
// The bound counts for reads that are answered here; all others are the server's.
using System;

namespace Pile.Client;

/// <summary>Options of a near cache.</summary>
public sealed class PileNearOptions
{
    /// <summary>Bytes that entries take in this process, outside the GC heap: at least 1 MiB. 64 MiB unless set. What is used least leaves.</summary>
    public long MemoryLimitBytes { get; set; } = 64L << 20;

    /// <summary>How old an answer may be: a change that the server has acknowledged for longer than this when a read begins is seen by it, whatever the network
    /// does. 100 ms to an hour; 10 seconds unless set. Mostly changes are seen within the time that a message takes; the server is asked for
    /// a beat four times as often as this, and once a minute at least.</summary>
    public TimeSpan StalenessMax { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Whether what is here is served while the watch is interrupted, until it is as old as <see cref="StalenessMax"/>. True unless set;
    /// otherwise every read goes to the server from the moment in which the interruption is noticed.</summary>
    public bool IsServedWhileInterrupted { get; set; } = true;

    /// <summary>Bytes of values beyond which they are not kept here; 0 to 16 MiB. 64 KiB unless set.</summary>
    public int ValueBytesMax { get; set; } = 64 << 10;

    /// <summary>How long an entry is kept here at most, more than zero, or null for as long as the server keeps it. Null unless set. Of an
    /// entry that ends, half of the time that it has left counts too.</summary>
    public TimeSpan? TimeToLiveMax { get; set; }
}
