// A method of the server as the gate knows it: made once for each, when it is mapped.
// What the method does is its handler's.
using System;
using System.Collections.Generic;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>A method.</summary>
/// <param name="Handler">What gRPC does for it.</param>
/// <param name="Name">Its full name, as <c>pile.v1.Entries/Get</c>.</param>
/// <param name="Type">Whether it streams.</param>
/// <param name="Needed">The access that it needs; None for calls that everybody may make, at any time.</param>
/// <param name="Kind">How its one message is read by hand; None where it is not.</param>
internal sealed record CalledMethod(RequestDelegate Handler, string Name, MethodType Type, PileServerAccess Needed, PackedKind Kind)
{
    private static readonly HashSet<string> _reads =
    [
        nameof(V1.Entries.EntriesBase.Get), nameof(V1.Entries.EntriesBase.GetMany), nameof(V1.Entries.EntriesBase.GetLarge), nameof(V1.Entries.EntriesBase.Refresh),
        nameof(V1.Entries.EntriesBase.Scan), nameof(V1.Entries.EntriesBase.Watch),
        nameof(V1.Tables.TablesBase.List), nameof(V1.Tables.TablesBase.Describe), nameof(V1.Tables.TablesBase.Stats),
    ];

    /// <summary>Its name as measurements have it.</summary>
    internal KeyValuePair<string, object?> Tag { get; } = new("rpc.method", Name);

    /// <summary>Bytes of one message of a client as it comes, as the server's options have it.</summary>
    internal long CallMessageBytesMax { get; init; } = long.MaxValue;

    /// <summary>Bytes of one message of a client, unpacked too, where the method itself takes less than gRPC does.</summary>
    internal long MessageBytesMax { get; init; } = long.MaxValue;

    /// <summary>Whether the access to read is enough for a method of entries or tables.</summary>
    /// <param name="name">Its name, whatever stands before the last slash.</param>
    internal static bool IsRead(string name) => _reads.Contains(name[(name.LastIndexOf('/') + 1)..]);

    /// <summary>Whether a call that fails may be made again whatever it has done: it reads, or moves an end to where the next call moves it, or has given its lease back.</summary>
    /// <param name="name">Its name, whatever stands before the last slash.</param>
    internal static bool MayBeDoneAgain(string name) => IsRead(name) || name.EndsWith(nameof(V1.Entries.EntriesBase.GetOrLease), StringComparison.Ordinal);
}
