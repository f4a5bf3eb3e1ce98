// Changes of the cache behind that calls of this process have under way. A removal may be done there before a write that was begun earlier, which
// then puts a value there that is removed already. Its call takes it away again, and until then nobody may believe it. What failed is Doubts'.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Pile.Caching.Hybrid;

/// <summary>Changes under way, by their places. Thread-safe.</summary>
/// <remarks>As many places as have changes under way.</remarks>
internal sealed class ChangesUnderWay
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, (int Changes, long OutdatedTicks)> _places = [];

    /// <summary>Begins a change. Whoever could be outdated by another begins before it looks whether it is: it is seen here, or sees that.</summary>
    /// <param name="place">Where.</param>
    /// <param name="outdatedTicks">What was made up to then is outdated by it; 0 for nothing.</param>
    internal Change Begin(string place, long outdatedTicks)
    {
        lock (_gate)
        {
            (int changes, long before) = _places.GetValueOrDefault(place);
            _places[place] = (changes + 1, long.Max(before, outdatedTicks));
        }

        return new Change(this, place);
    }

    /// <summary>The moment up to which what is at a place is not believed; 0 for none.</summary>
    internal long Of(string place)
    {
        lock (_gate)
        {
            return _places.GetValueOrDefault(place).OutdatedTicks;
        }
    }

    private void End(string place)
    {
        lock (_gate)
        {
            (int changes, long outdatedTicks) = _places[place];
            if (changes == 1)
            {
                _ = _places.Remove(place);
            }
            else
            {
                _places[place] = (changes - 1, outdatedTicks);
            }
        }
    }

    /// <summary>A change that is under way until it is disposed, once; default for none.</summary>
    internal readonly struct Change(ChangesUnderWay? changes, string place) : IDisposable
    {
        /// <inheritdoc/>
        public void Dispose() => changes?.End(place);
    }
}
