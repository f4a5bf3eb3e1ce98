// Which objects of the graph being written were written already, and where. All of them are kept by identity, but for a graph
// that is one single path (PlanAnalysis.IsChain): of that the first few are, and of the others it is only watched whether the
// path comes back to one of them. A ring is found too late to refer to its first object: it has to be written once more.
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>The objects of a graph that were written. Not thread-safe.</summary>
internal sealed class TrackedObjects
{
    private readonly IdentityMap _identities = new();
    private ChainWatch _watch;
    private bool _isChain;

    /// <summary>Whether a path came back to an object that is not known by identity: what was written is of no use.</summary>
    internal bool IsRing { get; private set; }

    /// <summary>Begins with the root.</summary>
    internal void Begin(object root, int offset, bool isChain)
    {
        _isChain = isChain;
        _ = _identities.FindOrAdd(root, offset);
    }

    /// <summary>Looks an object up, and adds it when it is new.</summary>
    /// <returns>Where it was written, -1 when it is new, or anything when it closes a ring.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int FindOrAdd(object value, int offset) =>
        !_isChain || _identities.Count < CodecLimits.IdentitiesInRow - 1 ? _identities.FindOrAdd(value, offset) : Watch(value);

    /// <summary>Looks a text up, and adds it when it is new: it has no place for another object.</summary>
    /// <returns>Where it was written, or -1 when it is new.</returns>
    internal int FindOrAddText(string text, int offset) => _identities.FindOrAdd(text, offset);

    /// <summary>Forgets all of them.</summary>
    internal void Clear()
    {
        _identities.Clear();
        _watch = default;
        _isChain = IsRing = false;
    }

    private int Watch(object value)
    {
        if (_watch.Meets(value))
        {
            IsRing = true;
            return 0;
        }

        return -1;
    }
}
