// Ends the reading of a graph: fills what waits (Pending), each after everything that its keys and comparers refer to, then makes
// the callbacks. What a key refers to is found in the bytes: the values inside it, the targets of its references, the bodies of
// its FWDs. Only graphs that have something waiting come here.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>Fills and notifies.</summary>
internal static class Completion
{
    /// <summary>Fills everything that waits and makes all callbacks.</summary>
    internal static void Run(ref GraphReader reader)
    {
        GraphContext context = reader.Context;
        if (context.Pending.Count > 0)
        {
            // Bodies from the last to the first, inner ones first in each: what a body refers to in a later one is then there,
            // and a long chain of bodies needs no deep recursion.
            var order = new Order();
            order.Begin(context, int.MaxValue);
            int end = context.Pending.Count;
            for (int body = context.PendingStarts.Count - 1; body >= -1; body--)
            {
                int start = body < 0 ? 0 : context.PendingStarts[body];
                for (int index = start; index < end; index++)
                {
                    order.Fill(ref reader, context.Pending[index]);
                }

                end = start;
            }
        }

        foreach ((Plan plan, object value) in context.Callbacks)
        {
            plan.Completed(value);
        }

        foreach ((Plan plan, object value) in context.Callbacks)
        {
            plan.Notify(value);
        }
    }

    /// <summary>Fills what the values between two offsets depend on, while the graph is still being read.</summary>
    internal static void RunBetween(ref GraphReader reader, int start, int end)
    {
        GraphContext context = reader.Context;
        if (context.Pending.Count == 0)
        {
            return;
        }

        // One for all of them: their values may refer to one large object. What was gone over may be read yet, so that nothing is known to be done.
        Order order = context.Skipped is null ? context.Between ??= new Order() : new Order();
        order.Begin(context, end);
        for (int offset = start; offset < end;)
        {
            order.FillReached(ref reader, offset);
            WireReader at = reader.Wire;
            at.Position = offset;
            at.Skip();
            offset = at.Position;
        }
    }

    /// <summary>The order of filling.</summary>
    internal sealed class Order
    {
        private readonly Dictionary<int, Pending> _pending = [];
        private readonly Dictionary<int, Deferred> _deferred = [];
        private readonly HashSet<int> _done = [];
        private bool _isForComparer;
        private bool _hasOpen;
        private int _pendingCount;
        private int _deferredCount;
        private int _end;

        /// <summary>Takes what has come to wait since the last call.</summary>
        /// <param name="context">What was read.</param>
        /// <param name="end">How far; the greatest number for all.</param>
        internal void Begin(GraphContext context, int end)
        {
            for (; _pendingCount < context.Pending.Count; _pendingCount++)
            {
                _pending[context.Pending[_pendingCount].Offset] = context.Pending[_pendingCount];
            }

            for (; _deferredCount < context.Deferred.Count; _deferredCount++)
            {
                _deferred[context.Deferred[_deferredCount].Offset] = context.Deferred[_deferredCount];
            }

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
            for (int index = isForComparer ? pending.Comparers : 0; index < pending.Dependencies.Length; index++)
            {
                _isForComparer = isForComparer || index < pending.Comparers;
                FillReached(ref reader, pending.Dependencies[index]);
            }

            _isForComparer = isForComparer;
            pending.Plan.Complete(pending);
        }

        /// <summary>Fills everything that waits and is reached from the value at an offset, inner ones first.</summary>
        internal void FillReached(ref GraphReader reader, int start)
        {
            HashSet<int> seen = [];
            Stack<int> open = new([start]);
            Stack<Pending> found = new();
            int reached = 0;
            _hasOpen = false;
            while (open.TryPop(out int offset))
            {
                WireReader at = reader.Wire;
                at.Position = offset;
                Walk(ref at, seen, open, found);
                reached = int.Max(reached, at.Position);
            }

            // What is still being read, or has its body to come, may have more that waits.
            bool isDone = _end == int.MaxValue || (reached <= _end && !_hasOpen);

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
        }

        /// <summary>Looks at each value inside one value.</summary>
        private void Walk(ref WireReader at, HashSet<int> seen, Stack<int> open, Stack<Pending> found)
        {
            for (long left = 1; left > 0; left--)
            {
                int offset = at.Position;
                switch (WireTypes.Of(at.Peek()))
                {
                    case WireType.Array when _done.Contains(offset) || !seen.Add(offset):
                        at.Skip();
                        break;
                    case WireType.Array:
                        Note(offset, found);
                        left += at.ReadArrayHeader();
                        break;
                    case WireType.Extension:
                        Follow(ref at, offset, seen, open, found);
                        break;
                    default:
                        at.Skip();
                        break;
                }
            }
        }

        private void Note(int offset, Stack<Pending> found)
        {
            if (_pending.TryGetValue(offset, out Pending? pending) && !pending.IsBegun)
            {
                found.Push(pending);
            }
        }

        private void Follow(ref WireReader at, int offset, HashSet<int> seen, Stack<int> open, Stack<Pending> found)
        {
            ReadOnlySpan<byte> bytes = at.ReadExtension(out byte code);
            if (code == WireCode.Forward)
            {
                Note(offset, found);
                if (!_deferred.TryGetValue(offset, out Deferred? deferred) || deferred.Body == 0)
                {
                    _hasOpen = true;
                }
                else if (!_done.Contains(deferred.Body) && !seen.Contains(deferred.Body))
                {
                    open.Push(deferred.Body);
                }
            }
            else if (code == WireCode.Reference)
            {
                int target = 0;
                foreach (byte part in bytes.Length <= 4 ? bytes : [])
                {
                    target = (target << 8) | part;
                }

                // What was done for an earlier key is not even gone over: every key may refer to one large object.
                if (target > 0 && target < at.Length && !_done.Contains(~target) && seen.Add(~target))
                {
                    open.Push(target);
                }
            }
        }
    }
}
