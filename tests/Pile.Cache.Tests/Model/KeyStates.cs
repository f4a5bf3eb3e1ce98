// What each key of a durable table may show after a power cut: what it was at the last completed flush, or anything that it was since. A key
// that was not changed since shows what it is. What has ended shows nothing. Each state has a number, by which those of one batch are found again.
using System;
using System.Collections.Generic;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class KeyStates
{
    private readonly Dictionary<int, List<State>> _since = [];
    private readonly Dictionary<int, int> _marked = [];
    private long _number;

    /// <summary>Notes what a key was before a change, and is after it; a value of null for nothing.</summary>
    /// <returns>The number of the change.</returns>
    internal long Note(int key, (byte[]? Value, DateTimeOffset End) before, (byte[]? Value, DateTimeOffset End) after)
    {
        if (!_since.TryGetValue(key, out List<State>? states))
        {
            _since[key] = states = [new State(before.Value, before.End, _number++)];
        }

        states.Add(new State(after.Value, after.End, _number));
        return _number++;
    }

    /// <summary>Notes that any key that may show such a value may show nothing instead.</summary>
    internal void NoteGone(Predicate<byte[]> isSuch)
    {
        foreach (List<State> states in _since.Values)
        {
            if (states.Exists(state => state.Value is { } value && isSuch(value)))
            {
                states.Insert(states.Count - 1, new State(null, default, _number++));
            }
        }
    }

    /// <summary>Whether any key may show such a state.</summary>
    internal bool Has(Func<byte[], DateTimeOffset, bool> isSuch)
    {
        foreach (List<State> states in _since.Values)
        {
            if (states.Exists(state => state.Value is { } value && isSuch(value, state.End)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a key was changed since the last flush.</summary>
    internal bool HasChanged(int key) => _since.ContainsKey(key);

    /// <summary>All that was done is covered now.</summary>
    internal void Flushed() => _since.Clear();

    /// <summary>Remembers what was done until now.</summary>
    internal void Mark()
    {
        _marked.Clear();
        foreach ((int key, List<State> states) in _since)
        {
            _marked[key] = states.Count;
        }
    }

    /// <summary>All that was done before <see cref="Mark"/> is covered now.</summary>
    internal void FlushedToMark()
    {
        foreach ((int key, int count) in _marked)
        {
            List<State> states = _since[key];
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
        List<State> states = _since.GetValueOrDefault(key) ?? [new State(last.Value, last.End, 0)];
        ModelMismatchException.Unless(
            states.Exists(state => state.IsShown(shown, now)), shown is null ? "lost" : "risen", $"key {key} shows after a cut what it was not since the last flush ({states.Count} states)");
    }

    /// <summary>What a key tells of a change of it, by what it shows after a cut.</summary>
    /// <returns>1 where the change is there, -1 where it is not, 0 where the key does not tell.</returns>
    internal int Tells(int key, long number, byte[]? shown)
    {
        if (!_since.TryGetValue(key, out List<State>? states))
        {
            return 0;
        }

        List<State> such = states.FindAll(state => state.IsShown(shown, DateTimeOffset.MinValue));
        return such.TrueForAll(state => state.Number < number) ? -1 : such.TrueForAll(state => state.Number == number) ? 1 : 0;
    }

    private readonly record struct State(byte[]? Value, DateTimeOffset End, long Number)
    {
        internal bool IsShown(byte[]? shown, DateTimeOffset now) => Value is null || End <= now ? shown is null : shown is not null && Value.AsSpan().SequenceEqual(shown);
    }
}
