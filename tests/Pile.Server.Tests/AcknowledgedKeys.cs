using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>One client's keys, which nobody else writes: what each has by the last acknowledgement, and what it may have by a call that was not
/// answered. Used by one task at a time.</summary>
internal sealed class AcknowledgedKeys(string table, int client, int seed)
{
    private const int Keys = 40;
    private const int BatchKeys = 8;

    private readonly Random _random = new(seed);
    private readonly Dictionary<string, string?> _acknowledged = [];
    private readonly Dictionary<string, string?> _asked = [];
    private int _number;
    private long _count;
    private bool _isCounting;

    /// <summary>Changes keys in every way that there is, until the server ends.</summary>
    /// <param name="entries">The server.</param>
    /// <param name="changed">Is called with each change that was acknowledged.</param>
    internal async Task ChangeAsync(V1.Entries.EntriesClient entries, Action changed)
    {
        try
        {
            using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> stream = entries.Batches(deadline: Ends);
            while (true)
            {
                await (_random.Next(7) switch
                {
                    0 => SetAsync(entries),
                    1 => RemoveAsync(entries),
                    2 => CompareAndSetAsync(entries),
                    3 => CountAsync(entries),
                    4 => SetManyAsync(batch => entries.SetManyAsync(batch, deadline: Ends).ResponseAsync),
                    5 => SetManyAsync(async batch =>
                    {
                        await stream.RequestStream.WriteAsync(new V1.BatchRequest { Set = batch });
                        return await stream.ResponseStream.MoveNext(CancellationToken.None) ? stream.ResponseStream.Current.Outcomes : throw new RpcException(new Status(StatusCode.Unavailable, "the stream has ended"));
                    }),
                    _ => RemoveManyAsync(entries),
                });
                changed();
            }
        }
        catch (Exception end) when (end is RpcException { StatusCode: not StatusCode.DeadlineExceeded and not StatusCode.ResourceExhausted and not StatusCode.InvalidArgument } or InvalidOperationException)
        {
            // The kill: what was not acknowledged may be there or not. A stream that has ended can't be written to either.
        }
    }

    /// <summary>Asserts that each key has what was acknowledged, or what was asked last, and takes that for granted from now on.</summary>
    internal async Task CheckAsync(V1.Entries.EntriesClient entries)
    {
        foreach (string key in _acknowledged.Keys.Concat(_asked.Keys).ToHashSet())
        {
            V1.GetReply reply = await entries.GetAsync(new V1.GetRequest { Table = table, Key = Batches.Bytes(key) }, deadline: Ends);
            string? found = reply.Found ? reply.Value.ToStringUtf8() : null;
            string? acknowledged = _acknowledged.GetValueOrDefault(key);
            bool isGood = found == acknowledged || (_asked.TryGetValue(key, out string? asked) && found == asked);
            Assert.True(isGood, $"{key} has '{found}'; acknowledged was '{acknowledged}'{(_asked.TryGetValue(key, out asked) ? $", and asked '{asked}'" : "")}; seed {seed}");
            _acknowledged[key] = found;
        }

        V1.GetReply number = await entries.GetAsync(new V1.GetRequest { Table = table, Key = Batches.Bytes($"{client}.count") }, deadline: Ends);
        long count = number.Found ? BinaryPrimitives.ReadInt64LittleEndian(number.Value.Span) : 0;
        Assert.InRange(count, _count, _isCounting ? _count + 1 : _count);
        _count = count;
        _isCounting = false;
        _asked.Clear();
    }

    private static DateTime Ends => TimeProvider.System.GetUtcNow().UtcDateTime.AddMinutes(1);

    private string Key() => $"{client}.{_random.Next(Keys)}";

    private string Value(string key) => $"{key}={_number++}";

    private async Task SetAsync(V1.Entries.EntriesClient entries)
    {
        string key = Key();
        string value = Value(key);
        _asked[key] = value;
        _ = await entries.SetAsync(new V1.SetRequest { Table = table, Key = Batches.Bytes(key), Value = Batches.Bytes(value) }, deadline: Ends);
        Acknowledge();
    }

    private async Task RemoveAsync(V1.Entries.EntriesClient entries)
    {
        string key = Key();
        _asked[key] = null;
        V1.RemoveReply reply = await entries.RemoveAsync(new V1.RemoveRequest { Table = table, Key = Batches.Bytes(key) }, deadline: Ends);
        Assert.Equal(_acknowledged.GetValueOrDefault(key) is null ? V1.Outcome.Missing : V1.Outcome.Removed, reply.Outcome);
        Acknowledge();
    }

    private async Task CompareAndSetAsync(V1.Entries.EntriesClient entries)
    {
        string key = Key();
        V1.GetReply found = await entries.GetAsync(new V1.GetRequest { Table = table, Key = Batches.Bytes(key), WantVersion = true }, deadline: Ends);
        Assert.Equal(_acknowledged.GetValueOrDefault(key), found.Found ? found.Value.ToStringUtf8() : null);
        if (found.Found)
        {
            string value = Value(key);
            _asked[key] = value;
            V1.SetReply reply = await entries.CompareAndSetAsync(new V1.CompareAndSetRequest { Table = table, Key = Batches.Bytes(key), Value = Batches.Bytes(value), Version = found.Version }, deadline: Ends);
            Assert.Equal(V1.Outcome.Replaced, reply.Outcome);
            Acknowledge();
        }
    }

    private async Task CountAsync(V1.Entries.EntriesClient entries)
    {
        _isCounting = true;
        V1.IncrementReply reply = await entries.IncrementAsync(new V1.IncrementRequest { Table = table, Key = Batches.Bytes($"{client}.count"), By = 1 }, deadline: Ends);
        _isCounting = false;
        Assert.Equal(++_count, reply.Value);
    }

    private async Task SetManyAsync(Func<V1.SetBatch, Task<V1.OutcomeBatch>> send)
    {
        (string Key, string Value)[] items = [.. Some().Select(key => (key, Value(key)))];
        foreach ((string key, string value) in items)
        {
            _asked[key] = value;
        }

        V1.SetBatch batch = Batches.Set(1, items);
        batch.Table = table;
        Assert.Equal(items.Length, (await send(batch)).Outcomes.Count);
        Acknowledge();
    }

    private async Task RemoveManyAsync(V1.Entries.EntriesClient entries)
    {
        string[] keys = [.. Some()];
        foreach (string key in keys)
        {
            _asked[key] = null;
        }

        V1.RemoveBatch batch = Batches.Remove(1, keys);
        batch.Table = table;
        _ = await entries.RemoveManyAsync(batch, deadline: Ends);
        Acknowledge();
    }

    private IEnumerable<string> Some() => Enumerable.Range(0, BatchKeys).Select(_ => Key()).Distinct();

    private void Acknowledge()
    {
        foreach ((string key, string? value) in _asked)
        {
            _acknowledged[key] = value;
        }

        _asked.Clear();
    }
}
