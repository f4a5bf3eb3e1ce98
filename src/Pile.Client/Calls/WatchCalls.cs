// A watch that goes on: when its stream ends in passing, the next one resumes after the last reply. It ends by the caller's token, by the
// client's end, or by a failure that does not pass, such as that of a table that was dropped.
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;

namespace Pile.Client.Calls;

/// <summary>Watch.</summary>
internal static class WatchCalls
{
    internal static async IAsyncEnumerable<IReadOnlyList<PileChange>> WatchAsync(ServerLink link, string table, PileKey prefix, [EnumeratorCancellation] CancellationToken cancel)
    {
        var request = new V1.WatchRequest { Table = table, Prefix = WireForm.KeyOf(prefix) };
        bool isBegun = false;
        int failures = 0;
        while (true)
        {
            CallOptions? options = await OptionsAsync(link, isBegun, cancel).ConfigureAwait(false);
            using AsyncServerStreamingCall<V1.WatchReply>? call = options is { } given ? link.Entries.Watch(request, given) : null;
            while (call is not null)
            {
                PileClientException? failure = null;
                try
                {
                    if (!await call.ResponseStream.MoveNext(cancel).ConfigureAwait(false))
                    {
                        break;
                    }
                }
                catch (RpcException thrown)
                {
                    failure = link.FailureOf(thrown, isIdempotent: true, cancel);
                }

                if (failure is not null)
                {
                    ClientMetrics.Fail(link.Endpoint, failure.Code);
                    if (!CallFailures.IsPassing(failure))
                    {
                        throw failure;
                    }

                    break;
                }

                // The first reply of all tells that every change from here on is told.
                isBegun = true;
                failures = 0;
                V1.WatchReply reply = call.ResponseStream.Current;
                yield return ChangesOf(reply);
                request.Resume = reply.Resume;
            }

            await Pause.ForAsync(Pause.Before(failures++, null), link.Time, cancel).ConfigureAwait(false);
            ClientMetrics.Retry(link.Endpoint);
        }
    }

    // Null where no token was to be had though there was one when the watch began: the next try asks for it again.
    private static async ValueTask<CallOptions?> OptionsAsync(ServerLink link, bool isBegun, CancellationToken cancel)
    {
        try
        {
            return await link.OptionsAsync(cancel).ConfigureAwait(false);
        }
        catch (PileClientException failure) when (isBegun)
        {
            ClientMetrics.Fail(link.Endpoint, failure.Code);
            return null;
        }
    }

    private static List<PileChange> ChangesOf(V1.WatchReply reply)
    {
        var changes = new List<PileChange>(reply.Events.Count + 1);
        if (reply.Lost)
        {
            changes.Add(new PileChange(PileChangeKind.Lost, default));
        }

        foreach (V1.WatchEvent change in reply.Events)
        {
            changes.Add(new PileChange((PileChangeKind)(int)change.Kind, change.Key.Memory));
        }

        return changes;
    }
}
