// What a client is made with. Judged when the client is made; later changes have no effect.
// The section of the configuration is ClientSettings'.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Hosting;

namespace Pile.Client;

/// <summary>Options of a client.</summary>
public sealed class PileClientOptions : IConfiguredOptions
{
    /// <summary>Where the server is: <c>http://</c> or <c>https://</c> with host and port, or <c>unix:</c> with the path of a socket.</summary>
    public string Address { get; set; } = "http://127.0.0.1:7171";

    /// <summary>The token that is sent with each call, or null. Never sent without TLS but to this machine, unless <see cref="AllowsTokenInClear"/>.</summary>
    public string? Token { get; set; }

    /// <summary>Gives the token, for tokens that end; it counts before <see cref="Token"/>. Asked before each call that is sent by itself and for
    /// each stream: it should keep what it has.</summary>
    public Func<CancellationToken, ValueTask<string>>? TokenProvider { get; set; }

    /// <summary>Whether a token may be sent in clear to another machine.</summary>
    public bool AllowsTokenInClear { get; set; }

    /// <summary>How the server is known, and how the client makes itself known, with <c>https://</c>.</summary>
    public PileClientTlsOptions Tls { get; set; } = new();

    /// <summary>How long a call may take, with all its tries; at least 1 ms, and more than 0 even where the token of a call says longer.
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit. 10 seconds unless set.</summary>
    public TimeSpan Deadline { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long one connection may take to come about. 5 seconds unless set.</summary>
    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>After how long without a word from the server it is asked whether it is there, and after as long again the connection is given
    /// up; at least a second. 10 seconds unless set.</summary>
    public TimeSpan KeepAlive { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How often a call is tried again that failed in passing and may be; 0 to 10. 3 unless set.</summary>
    public int RetriesMax { get; set; } = 3;

    /// <summary>Connections over which single calls travel together; 1 to 64. Calls on one key have one of them, and its reads another where the server holds changes. 1 unless set:
    /// more only help where one core is not enough.</summary>
    public int Connections { get; set; } = 1;

    /// <summary>Whether single calls travel together. True unless set.</summary>
    public bool IsBatching { get; set; } = true;

    /// <summary>The clock.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>What could not be read from the configuration, each with its path.</summary>
    internal List<string> Problems { get; } = [];

    List<string> IConfiguredOptions.Problems => Problems;
}
