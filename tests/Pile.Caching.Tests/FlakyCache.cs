using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;

namespace Pile.Caching.Tests;

/// <summary>A cache behind, in a dictionary, that fails where a test wants it to. It knows no ends: those of the entries count.</summary>
internal sealed class FlakyCache : IDistributedCache
{
    private readonly ConcurrentQueue<string> _calls = new();

    internal ConcurrentDictionary<string, byte[]> Entries { get; } = new();

    /// <summary>Whether calls like this one fail.</summary>
    internal Func<string, bool> Fails { get; set; } = static _ => false;

    /// <summary>Is called before each call.</summary>
    internal Action<string> AtCall { get; set; } = static _ => { };

    /// <summary>Is waited for after a write was begun, before it lands: whoever gives it up does not end it.</summary>
    internal Func<string, Task> Landing { get; set; } = static _ => Task.CompletedTask;

    /// <summary>Is waited for when a read or a write has been done, before whoever waits for it is told.</summary>
    internal Func<string, Task> Answering { get; set; } = static _ => Task.CompletedTask;

    internal IEnumerable<string> Calls => _calls;

    public byte[]? Get(string key) => throw new NotSupportedException();

    public async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        Note("get " + key, token);
        byte[]? found = Entries.TryGetValue(key, out byte[]? value) ? value : null;
        await Answering("get " + key);
        return found;
    }

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) => throw new NotSupportedException();

    public async Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        Note($"set {key} {options.AbsoluteExpirationRelativeToNow}", token);
        await Landing("set " + key);
        Entries[key] = value;
        await Answering("set " + key);
    }

    public void Refresh(string key) => throw new NotSupportedException();

    public Task RefreshAsync(string key, CancellationToken token = default) => throw new NotSupportedException();

    public void Remove(string key) => throw new NotSupportedException();

    public Task RemoveAsync(string key, CancellationToken token = default)
    {
        Note("remove " + key, token);
        _ = Entries.TryRemove(key, out _);
        return Task.CompletedTask;
    }

    private void Note(string call, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        _calls.Enqueue(call);
        AtCall(call);
        if (Fails(call))
        {
            throw new InvalidOperationException("the test wants it so: " + call);
        }
    }
}
