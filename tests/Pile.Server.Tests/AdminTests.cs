using System;
using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.Options;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>The calls of operators: with and without the access, while others write, and what they refuse.</summary>
public sealed class AdminTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task WithoutTheAccessNothingIsDone()
    {
        using var directory = new TemporaryDirectory();
        await using TestServer server = await TestServer.StartAsync(Args(directory, "--PileServer:AnonymousAccess=Read,Write"));
        V1.Admin.AdminClient admin = new(server.Channel);
        Func<Task>[] calls =
        [
            async () => await admin.CheckpointAsync(new V1.CheckpointRequest()),
            async () => await admin.CopyAsync(new V1.CopyRequest { Name = "copy" }),
            async () => await admin.CompactAsync(new V1.CompactRequest()),
            async () => await admin.VerifyAsync(new V1.VerifyRequest()),
        ];
        foreach (Func<Task> call in calls)
        {
            Assert.Contains("needs the access Admin", (await Failure.OfAsync(StatusCode.Unauthenticated, call)).Text, StringComparison.Ordinal);
        }

        Assert.False(Directory.Exists(Path.Combine(directory.Path, "copies", "copy")));
    }

    [Fact]
    public async Task WhileOthersWriteAllIsDoneAndACopyHasWhatWasAcknowledgedBefore()
    {
        using var directory = new TemporaryDirectory();
        var stored = new ConcurrentQueue<string>();
        string[] before;
        await using (TestServer server = await TestServer.StartAsync(Args(directory)))
        {
            V1.Admin.AdminClient admin = new(server.Channel);
            _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = new V1.TableOptions { Kind = V1.TableKind.Durable } });
            using var enough = new SemaphoreSlim(0);
            using var done = new CancellationTokenSource();
            Task[] writers = [.. Enumerable.Range(0, 4).Select(writer => Task.Run(async () =>
            {
                for (int number = 0; number < 50_000 && !done.IsCancellationRequested; number++)
                {
                    string key = $"{writer}.{number % 500}";
                    _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = Batches.Bytes(key), Value = Batches.Bytes($"{key}={number}") });
                    stored.Enqueue(key);
                    if (number == 100)
                    {
                        _ = enough.Release();
                    }
                }
            }))];
            for (int writer = 0; writer < writers.Length; writer++)
            {
                Assert.True(await enough.WaitAsync(Soon.Longest, Cancel), "A writer has not stored 100 entries within a minute.");
            }

            ulong durable = (await admin.CheckpointAsync(new V1.CheckpointRequest(), deadline: Deadline)).DurableThrough;
            Assert.NotEqual(0ul, durable);
            before = [.. stored.Distinct()];
            V1.CopyReply copy = await admin.CopyAsync(new V1.CopyRequest { Name = "copy-1" }, deadline: Deadline);
            Assert.NotEqual(0ul, copy.Bytes);
            V1.CompactReply compact = await admin.CompactAsync(new V1.CompactRequest { UsedOverLiveMax = 4 }, deadline: Deadline);
            Assert.NotEqual(0ul, compact.UsedBytesBefore);
            V1.VerifyReply verify = await admin.VerifyAsync(new V1.VerifyRequest(), deadline: Deadline);
            Assert.True(verify.IsGood, string.Join(' ', verify.Findings));
            Assert.NotEqual(0ul, verify.Records);
            Assert.True((await admin.CheckpointAsync(new V1.CheckpointRequest(), deadline: Deadline)).DurableThrough > durable);
            _ = await Failure.OfAsync(StatusCode.FailedPrecondition, async () => await admin.CopyAsync(new V1.CopyRequest { Name = "copy-1" }, deadline: Deadline));
            await done.CancelAsync();
            await Task.WhenAll(writers).WaitAsync(Soon.Longest, Cancel);
        }

        await using TestServer again = await TestServer.StartAsync("--directory", Path.Combine(directory.Path, "copies", "copy-1"));
        Assert.NotEmpty(before);
        foreach (string key in before)
        {
            Assert.StartsWith(key + "=", (await again.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = Batches.Bytes(key) })).Value.ToStringUtf8(), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task ACopyIsMadeBelowItsDirectoryAloneAndNowhereWithoutOne()
    {
        using var directory = new TemporaryDirectory();
        await using TestServer server = await TestServer.StartAsync(Args(directory));
        V1.Admin.AdminClient admin = new(server.Channel);
        foreach (string name in new[] { "", ".", "..", ".hidden", "../outside", "a/b", "a\\b", "/tmp/outside", "a b", "\u00e4", new string('a', 101) })
        {
            Assert.Contains("'name' must have", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await admin.CopyAsync(new V1.CopyRequest { Name = name }))).Text, StringComparison.Ordinal);
        }

        Assert.Empty(Directory.GetFileSystemEntries(Path.Combine(directory.Path, "copies")));
        await using TestServer without = await TestServer.StartAsync("--directory", Path.Combine(directory.Path, "other"), "--PileServer:AnonymousAccess=Admin");
        Assert.Contains("CopyDirectory", (await Failure.OfAsync(StatusCode.FailedPrecondition, async () => await new V1.Admin.AdminClient(without.Channel).CopyAsync(new V1.CopyRequest { Name = "copy" }))).Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ACopyThatMayNotBeWrittenSaysWhere()
    {
        using var directory = new TemporaryDirectory();
        await using TestServer server = await TestServer.StartAsync(Args(directory));
        string copies = Path.Combine(directory.Path, "copies");
        Directory.Delete(copies);
        await File.WriteAllTextAsync(copies, "no directory", Cancel);
        V1.ErrorDetail denied = await Failure.OfAsync(StatusCode.FailedPrecondition, async () => await new V1.Admin.AdminClient(server.Channel).CopyAsync(new V1.CopyRequest { Name = "copy" }));
        Assert.Contains(copies, denied.Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/sys/kernel", "nothing can be made there: ")]
    [InlineData("{}/file", "nothing can be made there: ")]
    [InlineData("{}/file/below", "nothing can be made there: ")]
    [InlineData("{}/data", "it lies within the pile of '{}/data', whose directory holds nothing but its own files")]
    [InlineData("{}/data/extents/copies", "it lies within the pile of '{}/data', whose directory holds nothing but its own files")]
    public async Task ADirectoryInWhichNoCopyCouldBeEndsTheStart(string copies, string why)
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        await File.WriteAllTextAsync(Path.Combine(directory.Path, "file"), "no directory", Cancel);
        string Of(string text) => text.Replace("{}", directory.Path, StringComparison.Ordinal);
        OptionsValidationException mistake = await Assert.ThrowsAsync<OptionsValidationException>(async () =>
        {
            await using TestServer server = await TestServer.StartAsync("--directory", Path.Combine(directory.Path, "data"), "--PileServer:CopyDirectory=" + Of(copies));
        });

        Assert.StartsWith($"PileServer:CopyDirectory = '{Of(copies)}' can't be used: {Of(why)}", mistake.Failures.Single(), StringComparison.Ordinal);
        Assert.Equal(["extents"], Directory.GetDirectories(Path.Combine(directory.Path, "data")).Select(Path.GetFileName));
        Assert.Empty(Directory.GetDirectories(Path.Combine(directory.Path, "data", "extents")));
    }

    [Fact]
    public async Task ADirectoryForCopiesThatIsMissingIsMadeAtTheStart()
    {
        using var directory = new TemporaryDirectory();
        string copies = Path.Combine(directory.Path, "deep", "copies");
        await using TestServer server = await TestServer.StartAsync("--directory", Path.Combine(directory.Path, "data"), "--PileServer:AnonymousAccess=Admin", "--PileServer:CopyDirectory=" + copies);
        Assert.Empty(Directory.GetFileSystemEntries(copies));
        _ = await new V1.Admin.AdminClient(server.Channel).CopyAsync(new V1.CopyRequest { Name = "copy" }, deadline: Deadline);
        Assert.True(File.Exists(Path.Combine(copies, "copy", "pile.meta")));
    }

    [Fact]
    public async Task InMemoryThereIsNothingToMakeDurableOrToCopy()
    {
        using var directory = new TemporaryDirectory();
        await using TestServer server = await TestServer.StartAsync("--PileServer:AnonymousAccess=Read,Write,Admin", $"--PileServer:CopyDirectory={directory.Path}");
        V1.Admin.AdminClient admin = new(server.Channel);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a") });
        Assert.Equal(0ul, (await admin.CheckpointAsync(new V1.CheckpointRequest())).DurableThrough);
        Assert.True((await admin.VerifyAsync(new V1.VerifyRequest())).IsGood);
        Assert.Equal(V1.PileStatus.Refused, (await Failure.OfAsync(StatusCode.FailedPrecondition, async () => await admin.CopyAsync(new V1.CopyRequest { Name = "copy" }))).Status);
        Assert.Contains("1.05", (await Failure.OfAsync(StatusCode.InvalidArgument, async () => await admin.CompactAsync(new V1.CompactRequest { UsedOverLiveMax = 0.5 }))).Text, StringComparison.Ordinal);
    }

    private static DateTime Deadline => TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest;

    private static string[] Args(TemporaryDirectory directory, string access = "--PileServer:AnonymousAccess=Read,Write,Admin")
    {
        string copies = Path.Combine(directory.Path, "copies");
        _ = Directory.CreateDirectory(copies);
        return ["--directory", Path.Combine(directory.Path, "data"), access, $"--PileServer:CopyDirectory={copies}"];
    }
}
