using System;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Net.Client;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>A server in a process of its own, and a good client that calls it all the time: each of its calls must succeed.</summary>
public sealed class AttackedServer : IAsyncLifetime
{
    // The collector may not take more than this, so that memory that is held, and not merely not yet collected, ends the server. The cache's
    // own memory, the code and the stacks are the rest of the bar on the process.
    private const long HeapBytesMax = 192 << 20;
    private const long GrowthBytesMax = 288 << 20;
    internal const int MessageBytesMax = 4 << 20;
    internal const int BudgetBytes = 32 << 20;
    internal const int StreamsMax = 256;

    private static readonly TimeSpan _callMost = TimeSpan.FromMinutes(1);

    private readonly CancellationTokenSource _end = new();
    private ServerProcess? _process;
    private Task _client = Task.CompletedTask;
    private TaskCompletionSource _called = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _bytesBefore;
    private long _calls;

    internal Uri Address => _process!.Address;

    internal int ProcessId => _process!.Id;

    private static DateTime Ends => TimeProvider.System.GetUtcNow().UtcDateTime + _callMost;

    public async ValueTask InitializeAsync()
    {
        _process = await ServerProcess.StartAsync(
            ["--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0", $"--PileServer:MessageBytesMax={MessageBytesMax}", $"--PileServer:ReceiveBudgetBytes={BudgetBytes}", $"--PileServer:ReplyBudgetBytes={BudgetBytes}", $"--PileListen:StreamsPerConnectionMax={StreamsMax}", $"--PileListen:ConnectionsMax={ServerLimits.ConnectionsDefault}"],
            ("DOTNET_GCHeapHardLimit", $"0x{HeapBytesMax:X}"));
        _client = Task.Run(CallAsync);
        await CallsAsync(100);
        _bytesBefore = _process.WorkingSetBytes;
    }

    /// <summary>Asserts that the process lives, within its memory, and that the good client was served now and all the time.</summary>
    internal async Task CheckAsync()
    {
        await CallsAsync(5);
        Assert.False(_process!.HasEnded, $"The server ended: {_process.Log}");
        long grown = _process.WorkingSetBytes - _bytesBefore;
        Assert.True(grown < GrowthBytesMax, $"The server has grown by {grown:N0} bytes from {_bytesBefore:N0}; at most {GrowthBytesMax:N0} are allowed.");
        TestContext.Current.TestOutputHelper?.WriteLine($"grown by {grown:N0} bytes; {Interlocked.Read(ref _calls):N0} good calls");
    }

    /// <summary>Waits until nothing is counted against the server's budget.</summary>
    internal async Task FreeAsync()
    {
        using GrpcChannel channel = GrpcChannel.ForAddress(Address);
        V1.Tables.TablesClient tables = new(channel);
        DateTime ends = Ends;
        while ((await tables.StatsAsync(new V1.StatsRequest(), deadline: ends)).ReceivingBytes > 0)
        {
            await CallsAsync(1);
        }
    }

    /// <summary>Waits until so many calls were made that began after now: a wait that is as long as it must be, and no clock.</summary>
    internal async Task CallsAsync(int count)
    {
        for (int calls = 0; calls <= count; calls++)
        {
            Task first = await Task.WhenAny(_client, Volatile.Read(ref _called).Task).WaitAsync(_callMost);
            if (first == _client)
            {
                await _client;
                Assert.Fail("The good client has ended.");
            }
        }
    }

    /// <summary>Sends parts until all are sent, the server ends the connection, or it takes no more while the good client is served.</summary>
    internal async Task FloodAsync(RawConnection connection, int parts, Func<int, byte[]> partOf)
    {
        using var heldBack = new CancellationTokenSource();
        for (int part = 0; part < parts; part++)
        {
            Task<bool> send = connection.SendAsync(partOf(part), heldBack.Token);
            if (!send.IsCompleted && await Task.WhenAny(send, CallsAsync(50)) != send)
            {
                await heldBack.CancelAsync();
                _ = await Record.ExceptionAsync(() => send);
                return;
            }

            if (!await send)
            {
                return;
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _client.WaitAsync(_callMost);
        await _process!.DisposeAsync();
        _end.Dispose();
    }

    private async Task CallAsync()
    {
        using GrpcChannel channel = GrpcChannel.ForAddress(_process!.Address, new GrpcChannelOptions { HttpHandler = new SocketsHttpHandler(), DisposeHttpClient = true });
        V1.Entries.EntriesClient entries = new(channel);
        using var pace = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        try
        {
            for (long number = 0; ; number++)
            {
                ByteString value = Batches.Bytes($"{number}");
                DateTime ends = Ends;
                _ = await entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("good"), Value = value }, deadline: ends);
                Assert.Equal(value, (await entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("good") }, deadline: ends)).Value);
                _ = Interlocked.Increment(ref _calls);
                Interlocked.Exchange(ref _called, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).SetResult();
                _ = await pace.WaitForNextTickAsync(_end.Token);
            }
        }
        catch (OperationCanceledException) when (_end.IsCancellationRequested)
        {
        }
    }
}
