// Which runs of large objects are pinned, and how often. A run that is not pinned takes no memory here; one that is may be retired
// meanwhile, and is freed after its last pin.
using System.Collections.Generic;

namespace Pile.Segments;

/// <summary>Pins of runs. Not thread-safe.</summary>
internal sealed class RunPins
{
    private readonly Dictionary<long, int> _pins = [];

    /// <summary>Whether a run is pinned.</summary>
    internal bool Contains(long location) => _pins.ContainsKey(location);

    /// <summary>Adds a pin.</summary>
    internal void Add(long location) => _pins[location] = _pins.GetValueOrDefault(location) + 1;

    /// <summary>Removes a pin that was added.</summary>
    internal void Remove(long location)
    {
        int pins = _pins[location] - 1;
        if (pins == 0)
        {
            _pins.Remove(location);
        }
        else
        {
            _pins[location] = pins;
        }
    }
}
