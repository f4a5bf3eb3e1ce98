// A method of the server as the gate knows it: made once for each, when it is mapped.
// What the method does is its handler's.
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
    /// <summary>Its name as measurements have it.</summary>
    internal KeyValuePair<string, object?> Tag { get; } = new("rpc.method", Name);

    /// <summary>Bytes of one message of a client as it comes, as the server's options have it.</summary>
    internal long CallMessageBytesMax { get; init; } = long.MaxValue;

    /// <summary>Bytes of one message of a client, unpacked too, where the method itself takes less than gRPC does.</summary>
    internal long MessageBytesMax { get; init; } = long.MaxValue;
}
