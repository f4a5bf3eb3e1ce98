// Containers that a reader needs whole before it can make them, while their keys are written: nothing in these may refer to the
// container itself, nor, at first, to an object that was announced and has no body yet. Such a graph is written once more: what
// stands deep is put off elsewhere then. And no key may be an object around its container whose hash code needs what it holds.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>The containers around what is written. Not thread-safe.</summary>
internal sealed class WholeObjects
{
    private readonly List<object> _open = [];
    private readonly OpenArrays _around = new();
    private int _lastBegun;
    private int _keyAt;
    private bool _mayBeAround;

    /// <summary>Whether what is written stands in a key of one.</summary>
    internal bool Any => _open.Count > 0;

    /// <summary>Whether keys may refer to objects without body, and not be one: their hash codes need not need them.</summary>
    internal bool MayReferAhead { get; set; }

    internal void Begin(object value) => _open.Add(value);

    internal void End() => _open.RemoveAt(_open.Count - 1);

    /// <summary>Says that a key is written next that may be no object around, nor one without body.</summary>
    /// <param name="position">Where it is written.</param>
    /// <param name="mayBeAround">Whether it may be an object around: a comparer may.</param>
    internal void BeginKey(int position, bool mayBeAround) => (_keyAt, _mayBeAround) = (position, mayBeAround);

    /// <summary>Begins a body that was put off.</summary>
    /// <param name="announced">Where it was announced; those announced behind it have no body yet.</param>
    /// <param name="position">Where it begins.</param>
    internal void BeginBody(int announced, int position)
    {
        _lastBegun = announced;
        _around.Begin(position);
    }

    internal void Clear()
    {
        _open.Clear();
        _around.Begin(0);
        _lastBegun = _keyAt = 0;
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

        bool isKey = writer.Length == _keyAt;
        if ((isKey || !MayReferAhead) && offset > _lastBegun && new WireReader(writer.Written) { Position = offset }.PeekExtension() == WireCode.Forward)
        {
            throw Refuse.TooDeep(value);
        }

        if (isKey && !_mayBeAround && (offset == _lastBegun || _around.Contain(new WireReader(writer.Written), offset)))
        {
            throw Refuse.AKeyAround(value);
        }
    }
}
