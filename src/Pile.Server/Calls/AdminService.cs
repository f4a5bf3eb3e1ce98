// pile.v1.Admin: care of the pile that the cache stands on. Each of these takes as long as the pile is large; they run beside the calls
// of others, one at a time.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.Options;

namespace Pile.Server.Calls;

/// <summary>The calls of operators. Thread-safe.</summary>
[BindServiceMethod(typeof(NoBinding), nameof(NoBinding.Bind))]
internal sealed class AdminService(ServerState state, IOptions<PileServerOptions> served) : V1.Admin.AdminBase, IDisposable
{
    private const int NameCharsMax = 100;

    private readonly SemaphoreSlim _one = new(1, 1);

    private ObjectPile Pile => state.Tables.Cache.Pile;

    public void Dispose() => _one.Dispose();

    public override Task<V1.CompactReply> Compact(V1.CompactRequest request, ServerCallContext context)
    {
        double ratio = request.UsedOverLiveMax == 0 ? 1.05 : request.UsedOverLiveMax;
        return AloneAsync(context, cancel =>
        {
            PileCompactReport report = Pile.Compact(ratio, cancel);
            return new V1.CompactReply { UsedBytesBefore = (ulong)report.UsedBytesBefore, UsedBytesAfter = (ulong)report.UsedBytesAfter, MovedBytes = (ulong)report.MovedBytes, ReachedRatio = report.ReachedRatio };
        });
    }

    public override async Task<V1.CheckpointReply> Checkpoint(V1.CheckpointRequest request, ServerCallContext context)
    {
        if (Pile.Promise() == PilePromise.Memory)
        {
            return new V1.CheckpointReply();
        }

        await Pile.CommitAsync(context.CancellationToken).ConfigureAwait(false);
        return new V1.CheckpointReply { DurableThrough = (ulong)Pile.DurableThrough() };
    }

    public override Task<V1.CopyReply> Copy(V1.CopyRequest request, ServerCallContext context)
    {
        if (Pile.Promise() == PilePromise.Memory)
        {
            throw CallFailure.Of(StatusCode.FailedPrecondition, PileStatus.Refused, "The cache is in memory: there are no files to copy. Start the server with a directory.");
        }

        string parent = served.Value.CopyDirectory
            ?? throw CallFailure.Of(StatusCode.FailedPrecondition, PileStatus.Refused, "The server has no CopyDirectory: copies are made below it. Set PileServer:CopyDirectory.");
        string name = request.Name;
        if (name.Length is 0 or > NameCharsMax || name[0] == '.' || !name.All(static letter => char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' or '.'))
        {
            throw CallFailure.Refused($"'name' must have 1 to {NameCharsMax} of a-z, A-Z, 0-9, '-', '_' and '.', and not begin with '.'.");
        }

        return AloneAsync(context, cancel =>
        {
            PileCopyReport report = Pile.CopyTo(Path.Combine(Path.GetFullPath(parent), name), progress: null, cancel);
            return new V1.CopyReply { Bytes = (ulong)report.Bytes, Segments = (ulong)report.Segments, LargeObjects = (ulong)report.LargeObjects };
        });
    }

    public override Task<V1.VerifyReply> Verify(V1.VerifyRequest request, ServerCallContext context) => AloneAsync(context, cancel =>
    {
        PileVerifyReport report = Pile.Verify(progress: null, cancel);
        return new V1.VerifyReply
        {
            IsGood = report.IsGood,
            Segments = (ulong)report.Segments,
            Records = (ulong)report.Records,
            Objects = (ulong)report.Objects,
            Findings = { report.Findings.Take(ServerLimits.FindingsMax).Select(static finding => $"{finding.Damage}: {finding.Where}: {finding.Actual}, where there should be {finding.Expected}") },
        };
    });

    private async Task<TReply> AloneAsync<TReply>(ServerCallContext context, Func<CancellationToken, TReply> work)
    {
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken, state.Stopping);
        await _one.WaitAsync(ends.Token).ConfigureAwait(false);
        try
        {
            return await Task.Run(() => work(ends.Token), ends.Token).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw CallFailure.Of(StatusCode.FailedPrecondition, PileStatus.Refused, failure.Message.ReplaceLineEndings(" "));
        }
        finally
        {
            _ = _one.Release();
        }
    }
}
