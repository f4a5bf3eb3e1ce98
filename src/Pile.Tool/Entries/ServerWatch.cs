// The changes of a server's table as they come, over lost connections too: after one the watch goes on where it was, and says what it lost.
// It ends when the run is stopped, or when the server stays away for longer than a restart takes.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Pile.Client;
using Pile.Client.Calls;
using Pile.Tool.Running;

namespace Pile.Tool.Entries;

/// <summary>Watches a table.</summary>
internal static class ServerWatch
{
    private const int TriesMax = 60;
    private static readonly TimeSpan _wait = TimeSpan.FromSeconds(1);

    /// <summary>All changes from now on, or from a place.</summary>
    /// <param name="run">The run.</param>
    /// <param name="client">The client.</param>
    /// <param name="table">The table.</param>
    /// <param name="prefix">How keys begin.</param>
    /// <param name="resume">What a former watch told; empty for from now on.</param>
    internal static IEnumerable<V1.WatchReply> Follow(VerbRun run, PileClient client, string table, byte[] prefix, byte[] resume)
    {
        ByteString place = ByteString.CopyFrom(resume);
        int tries = 0;
        while (true)
        {
            var request = new V1.WatchRequest { Table = table, Prefix = ByteString.CopyFrom(prefix), Resume = place };
            using AsyncServerStreamingCall<V1.WatchReply> call = client.Link.Entries.Watch(request, Wait(client.Link.OptionsAsync(run.Stop).AsTask()));
            while (true)
            {
                V1.WatchReply? next = null;
                try
                {
                    next = Wait(call.ResponseStream.MoveNext(run.Stop)) ? call.ResponseStream.Current : null;
                }
                catch (RpcException failure) when (CallFailures.IsLost(failure) && tries < TriesMax && !run.Stop.IsCancellationRequested)
                {
                    run.Say($"the connection is lost, and is tried again: {failure.Status.Detail}");
                }
                catch (RpcException failure)
                {
                    throw client.Link.FailureOf(failure, isIdempotent: true, run.Stop);
                }

                if (next is null)
                {
                    break;
                }

                tries = 0;
                place = next.Resume;
                yield return next;
            }

            tries++;
            if (run.Stop.WaitHandle.WaitOne(_wait))
            {
                run.Stop.ThrowIfCancellationRequested();
            }
        }
    }

    private static T Wait<T>(Task<T> task) => task.GetAwaiter().GetResult();
}
