// Goes over stored values in depth, each once however many lead to it, and says of each ring of values, which all lead to each
// other, when everything that it leads to was gone over. Nodes are the arrays of the payload, and what was put off to the end; a
// value leads to what stands in it and to what it refers to. It decides nothing: what to do with a ring is FillOrder's.
// Source: Tarjan, "Depth-first search and linear graph algorithms", 1972; deviation: no recursion, and a node is kept only while its
// ring is not closed. All stacks are lists: graphs lead deeper than a thread's stack.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Pile.Codecs;

/// <summary>A walk over a payload. Not thread-safe.</summary>
internal abstract class GraphWalk
{
    private const int WithoutEnd = 0;
    private readonly Dictionary<int, int> _known = [];
    private readonly HashSet<int> _unwhole = [];
    private readonly List<WalkNode> _nodes = [];
    private readonly List<WalkFrame> _frames = [];
    private readonly List<(int From, int Target)> _references = [];
    private Dictionary<int, Deferred>? _deferred;
    private int _deferredCount;

    /// <summary>Bytes gone over.</summary>
    internal long Spent { get; private set; }

    /// <summary>Where what is being read begins; 0 when the graph was read whole.</summary>
    protected int Start { get; private set; }

    /// <summary>How far it was read; the greatest number when the graph was read whole.</summary>
    protected int End { get; private set; }

    /// <summary>Whether the graph was read whole.</summary>
    protected bool IsWhole => End == int.MaxValue;

    /// <summary>What each node of a ring refers to, by its number; targets by offset.</summary>
    protected ReadOnlySpan<(int From, int Target)> ReferencesOf(int ring) => CollectionsMarshal.AsSpan(_references)[_nodes[ring].ReferencesBefore..];

    /// <summary>The nodes of the ring that is closed now: all from its first one on.</summary>
    protected ReadOnlySpan<WalkNode> NodesOf(int ring) => CollectionsMarshal.AsSpan(_nodes)[ring..];

    /// <summary>Takes what was announced since the last call.</summary>
    /// <param name="context">What was read.</param>
    /// <param name="start">Where what is being read begins.</param>
    /// <param name="end">How far it was read.</param>
    protected void BeginWalk(GraphContext context, int start, int end)
    {
        for (; _deferredCount < context.Deferred.Count; _deferredCount++)
        {
            _deferred ??= [];
            _deferred[context.Deferred[_deferredCount].Offset] = context.Deferred[_deferredCount];
        }

        (Start, End) = (start, end);
    }

    /// <summary>Makes room for so many values, before the first.</summary>
    protected void Prepare(int values)
    {
        if (_known.Count == 0)
        {
            _ = _known.EnsureCapacity(values);
        }
    }

    /// <summary>Forgets what led to something that was not whole.</summary>
    protected void ForgetUnwhole()
    {
        foreach (int offset in _unwhole)
        {
            _ = _known.Remove(offset);
        }

        _unwhole.Clear();
    }

    /// <summary>Goes over the value at an offset, and over all that it leads to.</summary>
    protected void Walk(ref GraphReader reader, int offset)
    {
        WireReader at = reader.Wire;
        at.Position = offset;
        Look(ref at);
        while (_frames.Count > 0)
        {
            ref WalkFrame frame = ref CollectionsMarshal.AsSpan(_frames)[^1];
            bool isAround = frame.Start < Start && frame.Position >= Start;
            if (frame.Left > 0 && !isAround)
            {
                frame.Left--;
                at.Position = frame.Position;
                Look(ref at);
            }
            else
            {
                Leave(ref reader);
            }
        }
    }

    /// <summary>The number of the node that a value is, or refers to, while its ring is not closed; else -1.</summary>
    protected int OpenNodeAt(WireReader at, int offset)
    {
        at.Position = offset;
        if (at.PeekExtension() == WireCode.Reference)
        {
            offset = TargetOf(at.ReadExtension(WireCode.Reference, -1));
        }

        return OpenNode(offset);
    }

    /// <summary>The number of the node at an offset, while its ring is not closed; else -1.</summary>
    protected int OpenNode(int offset) => _known.TryGetValue(offset, out int known) && known >= 0 ? known : -1;

    /// <summary>Takes a ring, all of whose nodes are open still: what it leads to besides was taken before.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="ring">The number of its first node.</param>
    /// <param name="isWhole">Whether it and all that it leads to was read to the end.</param>
    protected abstract void Close(ref GraphReader reader, int ring, bool isWhole);

    private static int TargetOf(ReadOnlySpan<byte> bytes)
    {
        int target = 0;
        foreach (byte part in bytes.Length <= 4 ? bytes : [])
        {
            target = (target << 8) | part;
        }

        return target;
    }

    /// <summary>Looks at one value, which stands in the innermost node.</summary>
    private void Look(ref WireReader at)
    {
        int offset = at.Position;
        switch (WireTypes.Of(at.Peek()))
        {
            case WireType.Array:
                LookAtArray(ref at, isInPlace: true);
                break;
            case WireType.Extension:
                ReadOnlySpan<byte> bytes = at.ReadExtension(out byte code);
                MoveOn(offset, at.Position);
                if (code == WireCode.Forward)
                {
                    LookAtForward(at, offset, isInPlace: true);
                }
                else if (code == WireCode.Reference && TargetOf(bytes) is > 0 and int target && target < at.Length)
                {
                    at.Position = target;
                    LookAtTarget(ref at);
                }

                break;
            default:
                at.Skip();
                MoveOn(offset, at.Position);
                break;
        }
    }

    private void LookAtTarget(ref WireReader at)
    {
        int target = at.Position;
        bool isArray = WireTypes.Of(at.Peek()) == WireType.Array;
        if (!isArray && at.PeekExtension() != WireCode.Forward)
        {
            return;
        }

        if (_frames.Count > 0 && (!_known.TryGetValue(target, out int known) || known >= 0))
        {
            _references.Add((_frames[^1].Node, target));
        }

        if (isArray)
        {
            LookAtArray(ref at, isInPlace: false);
        }
        else
        {
            LookAtForward(at, target, isInPlace: false);
        }
    }

    private void LookAtArray(ref WireReader at, bool isInPlace)
    {
        int offset = at.Position;
        if (!_known.TryGetValue(offset, out int known))
        {
            int count = at.ReadArrayHeader();
            Enter(offset, offset, at.Position, count, isInPlace);
            return;
        }

        if (isInPlace)
        {
            if (known < ~WithoutEnd)
            {
                at.Position = ~known;
            }
            else
            {
                at.Skip();
            }

            MoveOn(offset, at.Position);
        }

        Meet(offset, known, isInPlace);
    }

    private void LookAtForward(WireReader at, int offset, bool isInPlace)
    {
        if (_known.TryGetValue(offset, out int known))
        {
            Meet(offset, known, isInPlace);
        }
        else if (_deferred is not null && _deferred.TryGetValue(offset, out Deferred? deferred) && deferred.Body != 0)
        {
            at.Position = deferred.Body;
            int count = at.ReadArrayHeader();
            Enter(offset, deferred.Body, at.Position, count, isInPlace);
        }
        else
        {
            Enter(offset, int.MaxValue, 0, 0, isInPlace);
        }
    }

    private void Enter(int offset, int start, int position, int count, bool isInPlace)
    {
        int number = _nodes.Count;
        Spent++;
        _known.Add(offset, number);
        int around = isInPlace && _frames.Count > 0 ? _frames[^1].Node : -1;
        _nodes.Add(new WalkNode { Offset = offset, Low = number, Around = around, ReferencesBefore = _references.Count, IsUnwhole = start >= End });
        _frames.Add(new WalkFrame { Node = number, Start = start, Position = position, Left = count, IsInPlace = isInPlace && start == offset });
    }

    /// <summary>A node that was gone over, or is being gone over.</summary>
    private void Meet(int offset, int known, bool isInPlace)
    {
        if (_frames.Count == 0)
        {
            return;
        }

        int top = _frames[^1].Node;
        Span<WalkNode> nodes = CollectionsMarshal.AsSpan(_nodes);
        if (known < 0)
        {
            nodes[top].IsUnwhole |= _unwhole.Count > 0 && _unwhole.Contains(offset);
            return;
        }

        nodes[top].Low = int.Min(nodes[top].Low, known);
        if (isInPlace)
        {
            nodes[known].Around = top;
        }
    }

    private void MoveOn(int from, int position)
    {
        Spent += position - from;
        if (_frames.Count > 0)
        {
            CollectionsMarshal.AsSpan(_frames)[^1].Position = position;
        }
    }

    /// <summary>Ends the innermost node, and its ring where it was its first one.</summary>
    private void Leave(ref GraphReader reader)
    {
        WalkFrame frame = _frames[^1];
        _frames.RemoveAt(_frames.Count - 1);
        ref WalkNode node = ref CollectionsMarshal.AsSpan(_nodes)[frame.Node];
        if (frame.Left > 0)
        {
            // What is being read stands in it: the rest of it is to come.
            node.IsUnwhole = true;
        }
        else if (frame.Start == node.Offset && !node.IsUnwhole)
        {
            node.End = frame.Position;
        }

        (int low, bool isUnwhole) = (node.Low, node.IsUnwhole);
        if (low == frame.Node)
        {
            isUnwhole = CloseRing(ref reader, low);
        }

        if (_frames.Count > 0)
        {
            ref WalkFrame around = ref CollectionsMarshal.AsSpan(_frames)[^1];
            ref WalkNode outer = ref CollectionsMarshal.AsSpan(_nodes)[around.Node];
            outer.IsUnwhole |= isUnwhole;
            outer.Low = low < frame.Node ? int.Min(outer.Low, low) : outer.Low;
            around.Position = frame.IsInPlace ? frame.Position : around.Position;
        }
    }

    private bool CloseRing(ref GraphReader reader, int ring)
    {
        bool isUnwhole = false;
        foreach (ref readonly WalkNode node in NodesOf(ring))
        {
            isUnwhole |= node.IsUnwhole;
        }

        isUnwhole &= !IsWhole;
        int references = _nodes[ring].ReferencesBefore;
        Close(ref reader, ring, !isUnwhole);
        foreach (ref readonly WalkNode node in NodesOf(ring))
        {
            _known[node.Offset] = ~node.End;
            if (isUnwhole)
            {
                _ = _unwhole.Add(node.Offset);
            }
        }

        _nodes.RemoveRange(ring, _nodes.Count - ring);
        _references.RemoveRange(references, _references.Count - references);
        return isUnwhole;
    }
}
