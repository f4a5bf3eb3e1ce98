// Care of the pile behind a server, for operators. These calls take as long as they take: no deadline of the client's counts, and none is made
// twice.
using System;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;

namespace Pile.Client;

/// <summary>Calls that need the access Admin.</summary>
public static class PileClientCare
{
    /// <summary>Moves what lives together.</summary>
    /// <param name="client">The client.</param>
    /// <param name="usedOverLiveMax">Until used bytes are at most so many times the live ones; 1.05 or more, 0 for 1.05.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static async Task<PileServerCompaction> CompactAsync(this PileClient client, double usedOverLiveMax = 0, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        V1.CompactReply reply = await CallAsync(client.Link, client.Link.Admin.CompactAsync, new V1.CompactRequest { UsedOverLiveMax = usedOverLiveMax }, cancel).ConfigureAwait(false);
        return new PileServerCompaction((long)reply.UsedBytesBefore, (long)reply.UsedBytesAfter, (long)reply.MovedBytes, reply.ReachedRatio);
    }

    /// <summary>Copies the pile, while it is used, into a new directory on the server's machine, below the server's CopyDirectory.</summary>
    /// <param name="client">The client.</param>
    /// <param name="name">The new directory's name: 1 to 100 of a-z, A-Z, 0-9, "-", "_" and ".", not beginning with ".".</param>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static async Task<PileServerCopy> CopyAsync(this PileClient client, string name, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentException.ThrowIfNullOrEmpty(name);
        V1.CopyReply reply = await CallAsync(client.Link, client.Link.Admin.CopyAsync, new V1.CopyRequest { Name = name }, cancel).ConfigureAwait(false);
        return new PileServerCopy((long)reply.Bytes, (long)reply.Segments, (long)reply.LargeObjects);
    }

    /// <summary>Checks everything that is stored.</summary>
    /// <param name="client">The client.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public static async Task<PileServerVerification> VerifyAsync(this PileClient client, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        V1.VerifyReply reply = await CallAsync(client.Link, client.Link.Admin.VerifyAsync, new V1.VerifyRequest(), cancel).ConfigureAwait(false);
        return new PileServerVerification(reply.IsGood, (long)reply.Segments, (long)reply.Records, (long)reply.Objects, [.. reply.Findings]);
    }

    private static async Task<TReply> CallAsync<TRequest, TReply>(ServerLink link, Func<TRequest, CallOptions, AsyncUnaryCall<TReply>> call, TRequest request, CancellationToken cancel)
    {
        try
        {
            using AsyncUnaryCall<TReply> made = call(request, await link.OptionsAsync(cancel).ConfigureAwait(false));
            return await made.ResponseAsync.ConfigureAwait(false);
        }
        catch (RpcException thrown)
        {
            PileClientException failure = link.FailureOf(thrown, isIdempotent: false, cancel);
            ClientMetrics.Fail(link.Endpoint, failure.Code);
            throw failure;
        }
    }
}
