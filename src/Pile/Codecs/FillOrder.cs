// The order in which what waits is filled, and who is called before: a key's hash code, or a comparer, may need what its callback
// makes. So what a collection's keys and comparers lead to is filled, then called, then the collection is filled. What leads
// there and back is a ring: of that RingOrder decides. Each value is gone over once a graph (GraphWalk), however many keys lead to it.
// While a graph is being read, for a frozen collection, what leads to something that is not read to its end is filled for now, as that
// collection's hash codes may need it, and once more when the graph is there.
using System;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>The order of filling.</summary>
internal sealed class FillOrder : GraphWalk
{
    private readonly Dictionary<int, Pending> _pending = [];
    private readonly List<Pending> _found = [];
    private readonly List<(int Node, int Call)> _met = [];
    private CalledObjects? _called;
    private int _pendingCount;

    /// <summary>Takes what has come to wait since the last call.</summary>
    /// <param name="context">What was read.</param>
    /// <param name="start">Where what is filled for begins; 0 for all.</param>
    /// <param name="end">How far; the greatest number for all.</param>
    internal void Begin(GraphContext context, int start, int end)
    {
        for (; _pendingCount < context.Pending.Count; _pendingCount++)
        {
            Pending pending = context.Pending[_pendingCount];
            pending.Order = _pendingCount;
            _pending[pending.Offset] = pending;
        }

        if (context.Callbacks.Count > 0)
        {
            _called ??= new CalledObjects(context);
            _called.Begin();
        }

        BeginWalk(context, start, end);
    }

    /// <summary>Fills a collection, and before it all that its comparers and its keys lead to.</summary>
    internal void Fill(ref GraphReader reader, Pending pending)
    {
        Prepare(pending.Dependencies.Length);
        foreach (int dependency in pending.IsDone ? [] : pending.Dependencies)
        {
            Walk(ref reader, dependency);
        }

        // Where none of them leads back to it, nothing has come to it.
        pending.Complete();
    }

    /// <summary>Fills, for a frozen collection, everything that the values between start and end lead to.</summary>
    internal void FillBetween(ref GraphReader reader)
    {
        for (int offset = Start; offset < End;)
        {
            Walk(ref reader, offset);
            WireReader at = reader.Wire;
            at.Position = offset;
            at.Skip();
            offset = at.Position;
        }

        // What is around may be whole for the next one. Beyond the limit that is left for the end: each of many frozen collections may lead to
        // all that is around it.
        if (Spent <= (long)reader.Wire.Length * CodecLimits.WalkExpansionMax)
        {
            ForgetUnwhole();
        }
    }

    /// <summary>Takes everything that waits when the graph was read.</summary>
    /// <returns>It in order: bodies from the last to the first, inner ones first in each, as what a body holds in a later one is then there.</returns>
    internal List<Pending> BeginAll(GraphContext context)
    {
        ForgetUnwhole();
        Begin(context, 0, int.MaxValue);
        List<Pending> all = [];
        int end = context.Pending.Count;
        for (int body = context.PendingStarts.Count - 1; body >= -1; body--)
        {
            int start = body < 0 ? 0 : context.PendingStarts[body];
            for (int index = start; index < end; index++)
            {
                context.Pending[index].Order = all.Count;
                all.Add(context.Pending[index]);
            }

            end = start;
        }

        return all;
    }

    protected override void Close(ref GraphReader reader, int ring, bool isWhole)
    {
        _found.Clear();
        _met.Clear();
        int number = ring;
        foreach (ref readonly WalkNode node in NodesOf(ring))
        {
            if (_pending.TryGetValue(node.Offset, out Pending? pending) && !pending.IsDone)
            {
                _found.Add(pending);
            }

            if (_called is not null && _called.Find(node.Offset) is >= 0 and int call)
            {
                _met.Add((number, call));
            }

            number++;
        }

        if (_found.Count > 0)
        {
            _found.Sort(static (left, right) => (left.Comparers > 0, left.Order).CompareTo((right.Comparers > 0, right.Order)));
            if (isWhole)
            {
                FillRing(reader.Wire, ring);
            }
            else
            {
                _found.ForEach(static pending => pending.CompleteForNow());
            }
        }

        if (isWhole && _met.Count > 0)
        {
            _called!.Call(_met.ConvertAll(static each => each.Call));
        }
    }

    /// <summary>Fills what needs nothing of its own ring, then the others.</summary>
    private void FillRing(WireReader at, int ring)
    {
        List<WaitingInRing> waiting = [];
        foreach (Pending pending in _found)
        {
            int[] keys = new int[pending.Dependencies.Length];
            for (int index = 0; index < keys.Length; index++)
            {
                keys[index] = OpenNodeAt(at, pending.Dependencies[index]);
            }

            if (keys.AsSpan().ContainsAnyExcept(-1))
            {
                waiting.Add(new WaitingInRing(pending, OpenNode(pending.Offset), keys));
            }
            else
            {
                pending.Complete();
            }
        }

        if (waiting.Count == 1 && _met.Count == 0)
        {
            waiting[0].Pending.Complete();
        }
        else if (waiting.Count > 0)
        {
            new RingOrder(new Standing(NodesOf(ring), ring, ReferencesWithin(ring)), waiting, _called, _met).Fill();
        }
    }

    private (int From, int Target)[] ReferencesWithin(int ring)
    {
        List<(int From, int Target)> within = [];
        foreach ((int from, int target) in ReferencesOf(ring))
        {
            if (OpenNode(target) is >= 0 and int node)
            {
                within.Add((from, node));
            }
        }

        return [.. within];
    }
}
