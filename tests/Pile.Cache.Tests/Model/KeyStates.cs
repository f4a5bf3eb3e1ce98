// What each key of a durable table may show after a power cut: what it was at the last completed flush, or anything that it was since. A key
// that was not changed since shows what it is. What has ended shows nothing.
using System;
using System.Collections.Generic;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class KeyStates
{
    private readonly Dictionary<int, List<(byte[]? Value, DateTimeOffset End)>> _since = [];
    private readonly Dictionary<int, int> _marked = [];

    /// <summary>Notes what a key was before a change, and is after it; a value of null for nothing.</summary>
    internal void Note(int key, (byte[]? Value, DateTimeOffset End) before, (byte[]? Value, DateTimeOffset End) after)
    {
        if (!_since.TryGetValue(key, out List<(byte[]? Value, DateTimeOffset End)>? states))
        {
            _since[key] = states = [before];
        }

        states.Add(after);
    }

    /// <summary>Notes that any key that may show such a value may show nothing instead.</summary>
    internal void NoteGone(Predicate<byte[]> isSuch)
    {
        foreach (List<(byte[]? Value, DateTimeOffset End)> states in _since.Values)
        {
            if (states.Exists(state => state.Value is { } value && isSuch(value)))
            {
                states.Insert(states.Count - 1, default);
            }
        }
    }

    /// <summary>All that was done is covered now.</summary>
    internal void Flushed() => _since.Clear();

    /// <summary>Remembers what was done until now.</summary>
    internal void Mark()
    {
        _marked.Clear();
        foreach ((int key, List<(byte[]? Value, DateTimeOffset End)> states) in _since)
        {
            _marked[key] = states.Count;
        }
    }

    /// <summary>All that was done before <see cref="Mark"/> is covered now.</summary>
    internal void FlushedToMark()
    {
        foreach ((int key, int count) in _marked)
        {
            List<(byte[]? Value, DateTimeOffset End)> states = _since[key];
            states.RemoveRange(0, count - 1);
            if (states.Count == 1)
            {
                _ = _since.Remove(key);
            }
        }

        _marked.Clear();
    }

    /// <summary>Compares what a key shows after a cut.</summary>
    /// <param name="key">The key.</param>
    /// <param name="shown">What it shows, or null.</param>
    /// <param name="last">What it was last.</param>
    /// <param name="now">The time.</param>
    internal void Check(int key, byte[]? shown, (byte[]? Value, DateTimeOffset End) last, DateTimeOffset now)
    {
        List<(byte[]? Value, DateTimeOffset End)> states = _since.TryGetValue(key, out List<(byte[]? Value, DateTimeOffset End)>? since) ? since : [last];
        bool isOne = states.Exists(state => state.Value is null || state.End <= now ? shown is null : shown is not null && state.Value.AsSpan().SequenceEqual(shown));
        ModelMismatchException.Unless(isOne, shown is null ? "lost" : "risen", $"key {key} shows after a cut what it was not since the last flush ({states.Count} states)");
    }
}
