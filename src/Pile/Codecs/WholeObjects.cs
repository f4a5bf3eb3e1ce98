// Containers that a reader needs whole before it can make them, while their keys are written: nothing in these may refer to the
// container itself, nor, at first, to an object that was announced and has no body yet. Such a graph is written once more: what
// stands deep is put off elsewhere then.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>The containers around what is written. Not thread-safe.</summary>
internal sealed class WholeObjects
{
    private readonly List<object> _open = [];

    /// <summary>Whether what is written stands in a key of one.</summary>
    internal bool Any => _open.Count > 0;

    /// <summary>Whether keys may refer to objects without body: their hash codes need not need them.</summary>
    internal bool MayReferAhead { get; set; }

    /// <summary>Where the announcement stands whose body was begun last; those behind it have none yet.</summary>
    internal int LastBegun { get; set; }

    internal void Begin(object value) => _open.Add(value);

    internal void End() => _open.RemoveAt(_open.Count - 1);

    internal void Clear()
    {
        _open.Clear();
        LastBegun = 0;
    }

    /// <summary>Refuses a reference that no reader could follow in time.</summary>
    /// <param name="writer">The writer.</param>
    /// <param name="value">What is referred to.</param>
    /// <param name="offset">Where it was written.</param>
    internal void Check(WireWriter writer, object value, int offset)
    {
        if (_open.Exists(whole => ReferenceEquals(whole, value)))
        {
            throw Refuse.ACycleThroughAWhole(value);
        }

        if (!MayReferAhead && offset > LastBegun && new WireReader(writer.Written) { Position = offset }.PeekExtension() == WireCode.Forward)
        {
            throw Refuse.TooDeep(value);
        }
    }
}
