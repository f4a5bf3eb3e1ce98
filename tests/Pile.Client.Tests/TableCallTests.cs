using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Calls on the entries of a table, on a real server.</summary>
public sealed class TableCallTests(SharedServer server) : IClassFixture<SharedServer>, IAsyncLifetime
{
    private readonly PileClient _client = server.Client();
    private PileClientTable _table = null!;

    public async ValueTask InitializeAsync() => _table = await SharedServer.TableAsync(_client);

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    [Fact]
    public async Task WhatIsSetIsGotInEveryForm()
    {
        Assert.Null(await _table.GetAsync("a"));
        Assert.Equal(PileClientOutcome.Inserted, await _table.SetAsync("a", Bytes("one")));
        Assert.Equal(PileClientOutcome.Replaced, await _table.SetAsync("a", Bytes("two")));

        Assert.Equal("two", Text(await _table.GetAsync("a")));
        Assert.Equal("two", Text(await _table.GetAsync("a"u8.ToArray())));
        var seen = new List<string>();
        Assert.True(await _table.GetAsync("a", seen, static (bytes, list) => list.Add(Encoding.UTF8.GetString(bytes))));
        Assert.False(await _table.GetAsync("b", seen, static (bytes, list) => list.Add("never")));
        Assert.Equal(["two"], seen);
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(await _table.GetAsync("a", writer));
        Assert.False(await _table.GetAsync("b", writer));
        Assert.Equal("two", Text(writer.WrittenSpan.ToArray()));
        byte[] room = new byte[3];
        Assert.Equal(3, await _table.GetAsync("a", room));
        Assert.Equal("two", Text(room));
        Assert.Equal(-1, await _table.GetAsync("b", room));
        byte[] little = new byte[2];
        Assert.Equal(3, await _table.GetAsync("a", little));
        Assert.Equal([0, 0], little);
    }

    [Fact]
    public async Task AnEmptyValueIsAValue()
    {
        _ = await _table.SetAsync("a", default);

        Assert.Empty((await _table.GetAsync("a"))!);
        Assert.Equal(0, await _table.GetAsync("a", Memory<byte>.Empty));
    }

    [Fact]
    public async Task RemovalAndRefreshTellWhetherThereWasAnEntry()
    {
        _ = await _table.SetAsync("a", Bytes("one"));

        Assert.True(await _table.RefreshAsync("a"));
        Assert.True(await _table.RemoveAsync("a"));
        Assert.False(await _table.RemoveAsync("a"));
        Assert.False(await _table.RefreshAsync("a"));
    }

    [Fact]
    public async Task ConditionsHold()
    {
        Assert.False(await _table.ReplaceAsync("a", Bytes("one")));
        Assert.True(await _table.AddAsync("a", Bytes("one")));
        Assert.False(await _table.AddAsync("a", Bytes("two")));
        Assert.True(await _table.ReplaceAsync("a", Bytes("two")));
        PileVersionedValue read = await _table.GetWithVersionAsync("a");
        Assert.Equal("two", Text(read.Value));
        Assert.True(await _table.CompareAndSetAsync("a", Bytes("three"), read.Version));
        Assert.False(await _table.CompareAndSetAsync("a", Bytes("four"), read.Version));
        Assert.Equal(PileClientOutcome.Refused, await _table.CompareAndRemoveAsync("a", read.Version));
        read = await _table.GetWithVersionAsync("a");
        Assert.Equal(PileClientOutcome.Removed, await _table.CompareAndRemoveAsync("a", read.Version));
        Assert.Equal(PileClientOutcome.Missing, await _table.CompareAndRemoveAsync("a", read.Version));
        Assert.Equal(default, await _table.GetWithVersionAsync("a"));
    }

    [Fact]
    public async Task NumbersAreCounted()
    {
        Assert.Equal(11, await _table.IncrementAsync("n", initial: 10));
        Assert.Equal(9, await _table.IncrementAsync("n", by: -2));
        _ = await _table.SetAsync("t", Bytes("text"));
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => _table.IncrementAsync("t"));
        Assert.Equal((StatusCode.FailedPrecondition, PileStatus.TypeMismatch, server.Address, true), (failure.Code, failure.Status, failure.Endpoint, failure.IsRetrySafe));
    }

    [Fact]
    public async Task ManyGoTogetherHoweverManyTheyAre()
    {
        PileKey[] keys = [.. Enumerable.Range(0, 10_000).Select(static number => new PileKey($"key {number}"))];
        PileClientOutcome[] outcomes = await _table.SetManyAsync([.. keys.Where((_, index) => index % 3 > 0).Select(static key => new KeyValuePair<PileKey, ReadOnlyMemory<byte>>(key, Bytes(key.ToString())))]);
        Assert.All(outcomes, static outcome => Assert.Equal(PileClientOutcome.Inserted, outcome));

        byte[]?[] values = await _table.GetManyAsync(keys);
        Assert.Equal(keys.Select(static (key, index) => index % 3 > 0 ? key.ToString() : null), values.Select(Text));
        Assert.Equal(6666, await _table.RemoveManyAsync(keys));
        Assert.All(await _table.GetManyAsync(keys), Assert.Null);
        Assert.Empty(await _table.GetManyAsync([]));
    }

    [Fact]
    public async Task AValueThatNoMessageTakesIsStoredWithTheOthers()
    {
        byte[] large = new byte[20 << 20];
        new Random(4).NextBytes(large);
        PileClientOutcome[] outcomes = await _table.SetManyAsync([new("a", Bytes("a")), new("large", large), new("b", Bytes("b"))]);

        Assert.Equal([PileClientOutcome.Inserted, PileClientOutcome.Inserted, PileClientOutcome.Inserted], outcomes);
        Assert.Equal(["a", "b"], (await _table.GetManyAsync(["a", "b"])).Select(Text));
        Assert.Equal(large, await _table.GetAsync("large"));
    }

    [Fact]
    public async Task ValuesTooManyForOneReplyAreAskedForInParts()
    {
        byte[] value = new byte[1 << 20];
        PileKey[] keys = [.. Enumerable.Range(0, 24).Select(static number => new PileKey($"key {number}"))];
        foreach (PileKey key in keys)
        {
            value[0] = (byte)key.Length;
            _ = await _table.SetAsync(key, value);
        }

        Assert.All(await _table.GetManyAsync(keys), static read => Assert.Equal(1 << 20, read!.Length));
    }

    [Fact]
    public async Task AValueThatNoMessageTakesComesWithTheOthers()
    {
        byte[] large = new byte[17 << 20];
        new Random(1).NextBytes(large);
        _ = await _table.SetAsync("small", Bytes("1"));
        Assert.Equal(PileClientOutcome.Inserted, await _table.SetAsync("large", large));
        byte[]?[] values = await _table.GetManyAsync(["small", "large", "none"]);

        Assert.Equal("1", Text(values[0]));
        Assert.True(large.AsSpan().SequenceEqual(values[1]));
        Assert.Null(values[2]);
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(async () => await _table.GetManyAsync([new byte[16_384]]));
        Assert.Contains("16,384", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ATableWithATimeAndLimitsBeyondAllIsDescribed()
    {
        var options = new V1.TableOptions { DefaultTimeToLiveMs = ulong.MaxValue, EntriesMax = ulong.MaxValue, BytesMax = ulong.MaxValue };
        _ = await _client.Link.Tables.CreateAsync(new V1.CreateTableRequest { Table = "beyond all", Options = options });
        PileClientTableOptions described = (await _client.DescribeTableAsync("beyond all")).Options;

        Assert.InRange(described.DefaultTimeToLive, TimeSpan.MaxValue - TimeSpan.FromSeconds(1), TimeSpan.MaxValue);
        Assert.Equal((long.MaxValue, long.MaxValue), (described.EntriesMax, described.BytesMax));
    }

    [Fact]
    public async Task TagsTakeTheirEntries()
    {
        _ = await _table.SetAsync("a", Bytes("one"), new PileClientTerms { Tags = ["red", "big"] });
        _ = await _table.SetAsync("b", Bytes("two"), new PileClientTerms { Tags = ["blue"] });
        await _table.RemoveByTagAsync("red");

        Assert.Null(await _table.GetAsync("a"));
        Assert.NotNull(await _table.GetAsync("b"));
        await _client.RemoveByTagAsync("blue");
        Assert.Null(await _table.GetAsync("b"));
    }

    [Fact]
    public async Task AScanListsEachEntryOnce()
    {
        foreach (int number in Enumerable.Range(0, 3000))
        {
            _ = await _table.SetAsync($"{(number % 2 == 0 ? "even" : "odd")} {number}", Bytes($"{number}"));
        }

        var found = new List<string>();
        await foreach (PileClientEntry entry in _table.ScanAsync("even"))
        {
            found.Add($"{Encoding.UTF8.GetString(entry.Key.Span)}={Encoding.UTF8.GetString(entry.Value.Span)}");
        }

        Assert.Equal(Enumerable.Range(0, 1500).Select(static number => $"even {number * 2}={number * 2}").Order(), found.Order());
        int all = 0;
        await foreach (PileClientEntry entry in _table.ScanAsync(keysOnly: true))
        {
            Assert.True(entry.Value.IsEmpty);
            all++;
        }

        Assert.Equal(3000, all);
    }

    [Fact]
    public async Task AScanHasValuesThatNoPageTakes()
    {
        byte[] large = new byte[3_000_000];
        new Random(1).NextBytes(large);
        _ = await _table.SetAsync("large", large);
        _ = await _table.SetAsync("small", Bytes("1"));
        var found = new Dictionary<string, byte[]>();
        await foreach (PileClientEntry entry in _table.ScanAsync())
        {
            found.Add(Encoding.UTF8.GetString(entry.Key.Span), entry.Value.ToArray());
        }

        Assert.Equal(2, found.Count);
        Assert.Equal(large, found["large"]);
        Assert.Equal("1"u8.ToArray(), found["small"]);
    }

    [Fact]
    public async Task ATableThatIsNotThereIsTheServersSentence()
    {
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(async () => await _client.Table("none").GetAsync("a"));
        Assert.Equal((StatusCode.NotFound, server.Address), (failure.Code, failure.Endpoint));
        Assert.Contains("none", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AKeyThatIsTooLongIsRefusedByItsLength()
    {
        foreach ((int length, string said) in new[] { (0, "no bytes"), (16_384, "16,384") })
        {
            PileClientException failure = await Assert.ThrowsAsync<PileClientException>(async () => await _table.GetAsync(new byte[length]));
            Assert.Contains(said, failure.Message, StringComparison.Ordinal);
        }
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    private static string? Text(byte[]? bytes) => bytes is null ? null : Encoding.UTF8.GetString(bytes);
}
