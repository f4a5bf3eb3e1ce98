// What a client may do. Each call of the protocol needs one of these; docs/PROTOCOL.md says which.
// Who has which is PileServerOptions' and PileServerClient's.
using System;

namespace Pile.Server;

/// <summary>What a client may do.</summary>
[Flags]
public enum PileServerAccess
{
    /// <summary>Nothing but ask whether the server is there.</summary>
    None = 0,

    /// <summary>Read entries, list them, and read figures.</summary>
    Read = 1,

    /// <summary>Store and remove entries, make, clear and drop tables.</summary>
    Write = 2,

    /// <summary>Compact, flush, copy and verify the pile.</summary>
    Admin = 4,
}
