// The order in which what waits is filled, and who is called before: a key's hash code, or a comparer, may need what its callback
// makes. So what a collection's keys and comparers lead to is filled, then called, then the collection is filled.
// What leads back to a collection that is being filled is not whole yet, and called at the end of the graph as ever; only what
// stands in a key itself, without that collection, is called before (CalledObjects).
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>The order of filling.</summary>
internal sealed class FillOrder
{
    private readonly Dictionary<int, Pending> _pending = [];
    private readonly Dictionary<int, Deferred> _deferred = [];
    private readonly HashSet<int> _done = [];
    private CalledObjects? _called;
    private bool _isForComparer;
    private bool _hasOpen;
    private bool _leadsBack;
    private int _pendingCount;
    private int _deferredCount;
    private int _start;
    private int _end;

    /// <summary>Takes what has come to wait since the last call.</summary>
    /// <param name="context">What was read.</param>
    /// <param name="start">Where what is filled for begins; 0 for all.</param>
    /// <param name="end">How far; the greatest number for all.</param>
    internal void Begin(GraphContext context, int start, int end)
    {
        for (; _pendingCount < context.Pending.Count; _pendingCount++)
        {
            _pending[context.Pending[_pendingCount].Offset] = context.Pending[_pendingCount];
        }

        for (; _deferredCount < context.Deferred.Count; _deferredCount++)
        {
            _deferred[context.Deferred[_deferredCount].Offset] = context.Deferred[_deferredCount];
        }

        if (context.Callbacks.Count > 0)
        {
            _called ??= new CalledObjects(context, _pending, _deferred);
            _called.Begin();
        }

        _start = start;
        _end = end;
    }

    internal void Fill(ref GraphReader reader, Pending pending)
    {
        if (pending.IsBegun)
        {
            return;
        }

        pending.IsBegun = true;
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            throw new PileCorruptedException("A stored value is damaged: keys of containers contain containers beyond the stack's depth.");
        }

        // A comparer often refers to the root, and so to all collections with others like it: of those the keys alone count,
        // or each would go over the graph inside of the other.
        bool isForComparer = _isForComparer;
        for (int index = 0; index < pending.Dependencies.Length; index++)
        {
            bool isComparer = index < pending.Comparers;
            _isForComparer = isForComparer || isComparer;
            bool mayCallKey = isForComparer && isComparer ? _end == int.MaxValue : !FillReached(ref reader, pending.Dependencies[index]);
            if (mayCallKey && _called is not null && pending.Plan.Kind is not PlanKind.Serializable)
            {
                _called.CallKey(reader.Wire, pending.Dependencies[index], isComparer);
            }
        }

        _isForComparer = isForComparer;
        pending.Plan.Complete(pending);
        pending.IsDone = true;
    }

    /// <summary>Fills everything that waits and is reached from the value at an offset, inner ones first; then calls what is reached.</summary>
    /// <returns>False when nothing was called because the way leads back to what is being filled.</returns>
    internal bool FillReached(ref GraphReader reader, int start)
    {
        HashSet<int> seen = [];
        Stack<int> open = new([start]);
        Stack<Pending> found = new();
        int reached = 0;
        bool isInside = false;
        _hasOpen = _leadsBack = false;
        List<int>? called = _called is null ? null : [];
        while (open.TryPop(out int offset))
        {
            WireReader at = reader.Wire;
            at.Position = offset;
            Walk(ref at, seen, open, found, called);
            reached = int.Max(reached, at.Position);
            isInside |= offset < _start && at.Position >= _end;
        }

        // What is still being read, or has its body to come, may have more that waits.
        bool isDone = _end == int.MaxValue || (reached <= _end && !_hasOpen);
        bool isWhole = isDone && !isInside && reader.Context.Late is not { Count: > 0 };
        bool leadsBack = _leadsBack;

        // What may be looked into comes before what looks.
        foreach (Pending pending in found)
        {
            if (pending.Comparers == 0)
            {
                Fill(ref reader, pending);
            }
        }

        foreach (Pending pending in found)
        {
            Fill(ref reader, pending);
        }

        if (isDone)
        {
            _done.UnionWith(seen);
        }

        if (called is not null && isWhole)
        {
            _called!.Leave(called, seen, leadsBack);
        }

        return !(isWhole && leadsBack);
    }

    /// <summary>Looks at each value inside one value.</summary>
    private void Walk(ref WireReader at, HashSet<int> seen, Stack<int> open, Stack<Pending> found, List<int>? called)
    {
        for (long left = 1; left > 0; left--)
        {
            int offset = at.Position;
            switch (WireTypes.Of(at.Peek()))
            {
                case WireType.Array when IsDone(offset) || !seen.Add(offset):
                    at.Skip();
                    break;
                case WireType.Array:
                    Note(offset, found, called);
                    left += at.ReadArrayHeader();
                    break;
                case WireType.Extension:
                    Follow(ref at, offset, seen, open, found, called);
                    break;
                default:
                    at.Skip();
                    break;
            }
        }
    }

    private bool IsDone(int offset)
    {
        bool isDone = _done.Contains(offset);
        _leadsBack |= isDone && _called is not null && _called.LedBack(offset);
        return isDone;
    }

    private void Note(int offset, Stack<Pending> found, List<int>? called)
    {
        if (_pending.TryGetValue(offset, out Pending? pending))
        {
            _leadsBack |= pending.IsOpen;
            if (!pending.IsBegun)
            {
                found.Push(pending);
            }
        }

        if (called is not null)
        {
            _called!.Note(offset, called);
        }
    }

    private void Follow(ref WireReader at, int offset, HashSet<int> seen, Stack<int> open, Stack<Pending> found, List<int>? called)
    {
        ReadOnlySpan<byte> bytes = at.ReadExtension(out byte code);
        if (code == WireCode.Forward)
        {
            Note(offset, found, called);
            if (!_deferred.TryGetValue(offset, out Deferred? deferred) || deferred.Body == 0)
            {
                _hasOpen = true;
            }
            else if (!IsDone(deferred.Body) && !seen.Contains(deferred.Body))
            {
                open.Push(deferred.Body);
            }
        }
        else if (code == WireCode.Reference)
        {
            int target = TargetOf(bytes);

            // What was done for an earlier key is not even gone over: every key may refer to one large object.
            if (target > 0 && target < at.Length && !IsDone(~target) && seen.Add(~target))
            {
                open.Push(target);
            }
        }
    }

    /// <summary>Where a reference leads.</summary>
    internal static int TargetOf(ReadOnlySpan<byte> bytes)
    {
        int target = 0;
        foreach (byte part in bytes.Length <= 4 ? bytes : [])
        {
            target = (target << 8) | part;
        }

        return target;
    }
}
