// What the calls of the server keep to: who may do what, and how much. Read once, when the host starts.
// Where the program listens is ListenOptions'; the cache behind it is Pile.Caching's.
using System;
using System.Collections.Generic;
using Pile.Hosting;

namespace Pile.Server;

/// <summary>Options of the cache server.</summary>
public sealed class PileServerOptions : IConfiguredOptions
{
    private long? _receiveBudgetBytes;
    private long? _replyBudgetBytes;

    /// <summary>The clients that the server knows, by a name for the log.</summary>
    public IDictionary<string, PileServerClient> Clients { get; } = new Dictionary<string, PileServerClient>(StringComparer.OrdinalIgnoreCase);

    /// <summary>JSON Web Tokens that the server takes; none unless set.</summary>
    public PileServerJwt Jwt { get; } = new();

    /// <summary>What those may do who are none of <see cref="Clients"/> and have no token. Null: Read and Write where there are no clients and
    /// no JSON Web Tokens are taken, else nothing.</summary>
    public PileServerAccess? AnonymousAccess { get; set; }

    /// <summary>Bytes of one message, 65,536 to 268,435,456; after decompression. 16 MiB unless set.</summary>
    public int MessageBytesMax { get; set; } = ServerLimits.MessageBytesDefault;

    /// <summary>Bytes of a key, 1 to 15,360; 15,360 unless set.</summary>
    public int KeyBytesMax { get; set; } = ServerLimits.KeyBytesMax;

    /// <summary>Bytes of a value, 1 to 268,435,455; 64 MiB unless set. Values beyond <see cref="MessageBytesMax"/> travel in chunks.</summary>
    public int ValueBytesMax { get; set; } = ServerLimits.ValueBytesDefault;

    /// <summary>Items of a batch, 1 to 1,048,576; 65,536 unless set.</summary>
    public int BatchItemsMax { get; set; } = ServerLimits.BatchItemsDefault;

    /// <summary>Tables that the server has before no client may make another, 1 to 1,048,576; 1,024 unless set. The one named default counts. Those that
    /// are there when it starts are opened, however many they are.</summary>
    public int TablesMax { get; set; } = ServerLimits.TablesDefault;

    /// <summary>Bytes of messages that the whole server receives at once, as sent or as unpacked, whichever is more, at least
    /// <see cref="MessageBytesMax"/>; unless set 256 MiB, but at most an eighth of what the GC heap may have. The first 64 KiB of each are not counted. A value that comes in chunks
    /// needs up to twice its length while it comes, and is too large where that can never be.</summary>
    public long ReceiveBudgetBytes
    {
        get => _receiveBudgetBytes ?? BudgetUnset;
        set => _receiveBudgetBytes = value;
    }

    /// <summary>Bytes of replies that clients have asked for and not taken yet, of the whole server at once, at least <see cref="MessageBytesMax"/>; unless
    /// set 256 MiB, but at most an eighth of what the GC heap may have. The first 64 KiB of each are not counted.</summary>
    public long ReplyBudgetBytes
    {
        get => _replyBudgetBytes ?? BudgetUnset;
        set => _replyBudgetBytes = value;
    }

    /// <summary>Calls that a client may begin in a second, 1 to 1,000,000,000; null for any number. A stream is one call.</summary>
    public int? CallsPerSecondMax { get; set; }

    /// <summary>How long a call takes, streams apart, before the log names it; more than zero. One second unless set.</summary>
    public TimeSpan SlowCall { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The directory below which Admin.Copy makes its copies; null: Copy is refused. It is made where it is missing; where a cache in files can't have
    /// copies there, the server does not start.</summary>
    public string? CopyDirectory { get; set; }

    internal List<string> Problems { get; } = [];

    List<string> IConfiguredOptions.Problems => Problems;

    private long BudgetUnset => long.Max(MessageBytesMax, long.Min(ServerLimits.BudgetDefault, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / ServerLimits.BudgetPartOfHeap));
}
