// What each key of a durable table may show after a power cut: what the last completed flush covers, or anything that was stored or removed
// since. Keys that are not named may show nothing but what the model has.
using System;
using System.Collections.Generic;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class KeyStates
{
    private readonly Dictionary<int, List<byte[]?>> _since = [];

    /// <summary>Notes what a key showed before a change, and shows after it; null for nothing.</summary>
    internal void Note(int key, byte[]? before, byte[]? after)
    {
        if (!_since.TryGetValue(key, out List<byte[]?>? states))
        {
            _since[key] = states = [before];
        }

        states.Add(after);
    }

    /// <summary>All that was done is covered now.</summary>
    internal void Flushed() => _since.Clear();

    /// <summary>Compares what a key shows after a cut.</summary>
    /// <param name="key">The key.</param>
    /// <param name="shown">What it shows, or null.</param>
    /// <param name="last">What it showed last, or null.</param>
    /// <param name="hasEnded">Whether what it showed has ended, so that it may show nothing.</param>
    internal void Check(int key, byte[]? shown, byte[]? last, bool hasEnded)
    {
        if (!_since.TryGetValue(key, out List<byte[]?>? states))
        {
            ModelMismatchException.Unless(IsSame(shown, last) || (hasEnded && shown is null), shown is null ? "lost" : "risen", $"key {key} was flushed");
            return;
        }

        bool isOne = states.Exists(state => IsSame(state, shown)) || (shown is null && hasEnded);
        ModelMismatchException.Unless(isOne, shown is null ? "lost" : "risen", $"key {key} shows what it did not since the last flush ({states.Count} states)");
    }

    private static bool IsSame(byte[]? one, byte[]? other) => one is null ? other is null : other is not null && one.AsSpan().SequenceEqual(other);
}
