// One who calls a server whose connections are cut: all kinds of calls, under keys of its own. Each call ends in its time, with what is right or
// with a typed failure. What a call without an answer was to store may come yet: then its key is left.
using System;
using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Such a caller.</summary>
/// <param name="client">Its client, which others have too.</param>
/// <param name="table">Name of its table.</param>
/// <param name="number">Its number.</param>
/// <param name="random">Its dice.</param>
/// <param name="fates">What became of calls.</param>
internal sealed class CutCaller(PileClient client, string table, int number, Random random, ConcurrentDictionary<string, int> fates)
{
    // A machine that has more to do than it can is late, and no call of the client's is lost for it.
    private static readonly TimeSpan _grace = TimeSpan.FromSeconds(20);

    // Those that are done in a moment.
    private static readonly int[] _small = [0, 1, 4, 5, 6, 9, 12, 13];

    private readonly PileClientTable _table = client.Table(table);
    private int _keys;
    private long _stored;
    private long _counted;
    private long _maybe;
    private string _failure = "no call failed";

    /// <summary>What became of its calls by now, and the latest that failed.</summary>
    internal string Fates => $"{string.Join(", ", fates.OrderBy(static fate => fate.Key, StringComparer.Ordinal).Select(static fate => $"{fate.Key} {fate.Value}"))}; of caller {number}: {_failure}";

    private string Key => $"{number}.{_keys}";

    private string Counter => $"count {number}";

    /// <summary>Calls until it is told to end.</summary>
    internal async Task RunAsync(CancellationToken ends)
    {
        while (!ends.IsCancellationRequested)
        {
            _ = await CallAsync(random.Next(3) == 0 ? random.Next(Kinds) : _small[random.Next(_small.Length)]);
        }
    }

    internal const int Kinds = 14;

    /// <summary>A call of a kind.</summary>
    /// <returns>Whether it was answered.</returns>
    internal async Task<bool> CallAsync(int kind) => kind switch
    {
        0 or 1 => await SetAsync(random.Next(StoredBytesMin, 3_000), isStream: false),
        2 => await SetAsync(random.Next(5_000_000, 6_000_000), isStream: false),
        3 => await SetAsync(random.Next(100_000, 3_000_000), isStream: true),
        4 => await RemoveAsync(),
        5 => await IncrementAsync(),
        6 => await TryAsync("many", async () =>
        {
            byte[]?[] values = await _table.GetManyAsync([Key, "none"]);
            Check(values[0]);
            Assert.Null(values[1]);
        }),
        7 => await TryAsync("get large", async () =>
        {
            using var stream = new MemoryStream();
            long bytes = await _table.GetLargeAsync(Key, stream);
            Check(bytes < 0 ? null : stream.ToArray());
        }),
        8 => await TryAsync("scan", async () =>
        {
            await foreach (PileClientEntry entry in _table.ScanAsync($"{number}.", keysOnly: true))
            {
                _ = entry;
            }
        }),
        9 => await MakeAsync(),
        10 => await TryAsync("stats", async () => Assert.True((await client.GetStatsAsync()).MemoryLimitBytes > 0)),
        11 => await TryAsync("describe", async () => Assert.Equal(table, (await client.DescribeTableAsync(table)).Name)),
        _ => await TryAsync("get", async () => Check(await _table.GetAsync(Key))),
    };

    /// <summary>Looks at the end, over a way without harm, whether the counter has what was counted.</summary>
    internal async Task EndAsync()
    {
        byte[]? count = await _table.GetAsync(Counter);
        long counted = count is null ? 0 : BinaryPrimitives.ReadInt64LittleEndian(count);
        Assert.True(counted >= _counted && counted <= _counted + _maybe, $"caller {number}: {counted}, of {_counted} that were acknowledged and {_maybe} that were not");
    }

    private const int StoredBytesMin = 16;

    private static byte[] ValueOf(long number, int bytes)
    {
        byte[] value = new byte[bytes];
        value.AsSpan().Fill((byte)number);
        BinaryPrimitives.WriteInt64LittleEndian(value, number);
        return value;
    }

    private async Task<bool> SetAsync(int bytes, bool isStream)
    {
        long next = _stored + 1;
        byte[] value = ValueOf(next, bytes);
        bool isDone = await TryAsync(isStream ? "set stream" : bytes > 4 << 20 ? "set large" : "set", async () =>
        {
            if (isStream)
            {
                using var stream = new MemoryStream(value);
                _ = await _table.SetLargeAsync(Key, stream, value.Length);
            }
            else
            {
                _ = await _table.SetAsync(Key, value);
            }
        });
        if (isDone)
        {
            _stored = next;
        }
        else
        {
            Leave();
        }

        return isDone;
    }

    private async Task<bool> RemoveAsync()
    {
        bool isDone = await TryAsync("remove", async () => _ = await _table.RemoveAsync(Key));
        Leave();
        return isDone;
    }

    private async Task<bool> IncrementAsync()
    {
        bool isDone = false;
        try
        {
            isDone = await TryAsync("increment", async () => _ = await _table.IncrementAsync(Counter));
            return isDone;
        }
        finally
        {
            _counted += isDone ? 1 : 0;
            _maybe += isDone ? 0 : 1;
        }
    }

    private async Task<bool> MakeAsync()
    {
        Leave();
        byte[] value = ValueOf(7, 100);
        bool isDone = await TryAsync("make", async () => Assert.Equal(value, await _table.GetOrAddAsync(Key, _ => new ValueTask<byte[]>(value), leaseTime: TimeSpan.FromSeconds(1))), parts: 4);
        Leave();
        return isDone;
    }

    // Under the next key nothing was stored yet.
    private void Leave()
    {
        _keys++;
        _stored = 0;
    }

    private void Check(byte[]? value)
    {
        long found = value is null ? 0 : BinaryPrimitives.ReadInt64LittleEndian(value);
        Assert.True(found == _stored && (value is null || value.AsSpan(sizeof(long)).IndexOfAnyExcept((byte)found) < 0), $"caller {number}: value {found} of {value?.Length} bytes, stored was {_stored}");
    }

    private async Task<bool> TryAsync(string kind, Func<Task> call, int parts = 1)
    {
        long began = TimeProvider.System.GetTimestamp();
        string fate = "answered";
        try
        {
            Task made = call();
            try
            {
                await made.WaitAsync((parts * CutConnectionTests.Deadline) + _grace);
            }
            catch (TimeoutException) when (!made.IsCompleted)
            {
                Assert.Fail($"caller {number}: '{kind}' has no end behind its deadline");
            }

            return true;
        }
        catch (PileClientException failure)
        {
            fate = failure.Code.ToString();
            _failure = $"{kind}: {failure}";
            Assert.True(failure.Code is StatusCode.Unavailable or StatusCode.DeadlineExceeded, $"caller {number}: '{kind}' of a connection that was cut is {failure}");
            return false;
        }
        finally
        {
            string late = TimeProvider.System.GetElapsedTime(began) > parts * CutConnectionTests.Deadline + TimeSpan.FromSeconds(2) ? ", late" : "";
            _ = fates.AddOrUpdate($"{kind}: {fate}{late}", 1, static (_, count) => count + 1);
        }
    }
}
