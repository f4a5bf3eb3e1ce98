// The order of filling where keys or comparers lead back to their own collection, and who is called before. There is no order that
// is right for all: what stands in a key is filled before, whatever it leads to, then what objects hold that it refers to. What may
// be looked into, which has no comparer of the program's, comes before what looks. What stands in a key is called then, but only if no
// collection stands there, or is referred to from there, that is not filled: a parent is called when it has its children.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>The collections of one ring that wait.</summary>
internal sealed class RingOrder
{
    private readonly Standing _standing;
    private readonly CalledObjects? _called;
    private readonly List<WaitingInRing> _waiting;
    private readonly Stack<WaitingInRing> _open = new();
    private readonly WaitingInRing?[] _at;
    private readonly int[] _calls;
    private readonly Remaining _unbegun;
    private readonly Remaining _unbegunPlain;
    private readonly Remaining _unfilled;
    private readonly Remaining _unfollowed;
    private readonly Remaining _leadingToUnfilled;
    private readonly Remaining _uncalled;
    private int _plain;

    /// <param name="standing">What stands in what.</param>
    /// <param name="waiting">What waits, those without comparers first.</param>
    /// <param name="called">Who is to be called, or null.</param>
    /// <param name="met">Objects of the ring that are, by the number of their node; with their numbers there.</param>
    internal RingOrder(Standing standing, List<WaitingInRing> waiting, CalledObjects? called, List<(int Node, int Call)> met)
    {
        (_standing, _waiting, _called) = (standing, waiting, called);
        _at = new WaitingInRing?[standing.Count];
        foreach (WaitingInRing each in waiting)
        {
            _at[standing.PlaceOf(each.Node)] = each;
        }

        _unbegun = Remaining.Where(standing.Count, place => _at[place] is not null);
        _unbegunPlain = Remaining.Where(standing.Count, place => _at[place] is { Pending.Comparers: 0 });
        _unfilled = Remaining.Where(standing.Count, place => _at[place] is not null);
        _unfollowed = Remaining.Where(standing.References, static _ => true);

        bool calls = met.Count > 0;
        _calls = new int[calls ? standing.Count : 0];
        _leadingToUnfilled = Remaining.Where(calls ? standing.References : 0, reference => TargetOf(reference) is not null);
        for (int reference = 0; reference < _leadingToUnfilled.Count; reference++)
        {
            TargetOf(reference)?.References.Add(reference);
        }

        foreach ((int node, int call) in met)
        {
            _calls[standing.PlaceOf(node)] = call + 1;
        }

        _uncalled = Remaining.Where(_calls.Length, place => _calls[place] > 0);
    }

    /// <summary>Fills all of them.</summary>
    internal void Fill()
    {
        foreach (WaitingInRing first in _waiting)
        {
            if (!first.IsBegun)
            {
                Begin(first);
            }

            while (_open.TryPeek(out WaitingInRing? waiting))
            {
                if (FindBefore(waiting) is { } before)
                {
                    Begin(before);
                }
                else
                {
                    End(_open.Pop());
                }
            }
        }
    }

    private WaitingInRing? TargetOf(int reference) => _at[_standing.PlaceOf(_standing.TargetOf(reference))];

    private void Begin(WaitingInRing waiting)
    {
        int place = _standing.PlaceOf(waiting.Node);
        waiting.IsBegun = true;
        _unbegun.Remove(place);
        _unbegunPlain.Remove(place);
        _open.Push(waiting);
    }

    /// <summary>What is to be filled before, and was not begun.</summary>
    private WaitingInRing? FindBefore(WaitingInRing waiting)
    {
        for (; waiting.LooksAround && _plain < _waiting.Count && _waiting[_plain].Pending.Comparers == 0; _plain++)
        {
            if (!_waiting[_plain].IsBegun)
            {
                return _waiting[_plain];
            }
        }

        for (; waiting.Looked < waiting.Keys.Length; waiting.Looked++)
        {
            if (waiting.Keys[waiting.Looked] is >= 0 and int key)
            {
                (int first, int last) = _standing.Within(key);
                int place = _unbegun.Next(first);
                if (place <= last)
                {
                    return _at[place];
                }

                if (FindReferred(first, last, _standing.PlaceOf(waiting.Node)) is { } referred)
                {
                    return referred;
                }
            }
        }

        return null;
    }

    /// <summary>What stands in objects that a key refers to. Of one that the collection itself stands in, only what stands before it there: what
    /// stands around it is filled after it.</summary>
    private WaitingInRing? FindReferred(int first, int last, int mine)
    {
        int end = _standing.ReferencesFrom(last + 1);
        for (int reference = _unfollowed.Next(_standing.ReferencesFrom(first)); reference < end; reference = _unfollowed.Next(reference))
        {
            (int from, int to) = _standing.Within(_standing.TargetOf(reference));
            int place = _unbegunPlain.Next(from);
            if (place <= (from <= mine && mine <= to ? mine : to))
            {
                return _at[place];
            }

            _unfollowed.Remove(reference);
        }

        return null;
    }

    private void End(WaitingInRing waiting)
    {
        if (_calls.Length > 0 && waiting.Pending.Plan.Kind is not PlanKind.Serializable)
        {
            CallKeys(waiting);
        }

        waiting.Pending.Complete();
        _unfilled.Remove(_standing.PlaceOf(waiting.Node));
        foreach (int reference in waiting.References)
        {
            _leadingToUnfilled.Remove(reference);
        }
    }

    /// <summary>Calls what stands in keys, and comparers themselves: what these hold may be anything.</summary>
    private void CallKeys(WaitingInRing waiting)
    {
        List<int> calls = [];
        for (int index = 0; index < waiting.Keys.Length; index++)
        {
            if (waiting.Keys[index] is >= 0 and int key)
            {
                (int first, int last) = _standing.Within(key);
                if (index < waiting.Pending.Comparers)
                {
                    if (_unfilled.Next(last) != last)
                    {
                        TakeCalls(last, last, calls);
                    }
                }
                else if (MayCall(first, last))
                {
                    TakeCalls(first, last, calls);
                }
                else if (TryLeaveOut(waiting, key, out (int First, int Last) part) && MayCall(first, part.First - 1) && MayCall(part.Last + 1, last))
                {
                    TakeCalls(first, part.First - 1, calls);
                    TakeCalls(part.Last + 1, last, calls);
                }
            }
        }

        if (calls.Count > 0)
        {
            _called!.Call(calls);
        }
    }

    private bool MayCall(int first, int last) => _unfilled.Next(first) > last
        && _leadingToUnfilled.Next(_standing.ReferencesFrom(first)) >= _standing.ReferencesFrom(last + 1);

    /// <summary>A collection that stands in its own key, but in an object there, as it does when its owner was met on the way from the key: that object
    /// is called after it, as it would be if it stood elsewhere. Not where another collection is on the way.</summary>
    private bool TryLeaveOut(WaitingInRing waiting, int key, out (int First, int Last) part)
    {
        List<int> between = _standing.Between(waiting.Node, key);
        part = between.Count > 0 ? _standing.Within(between[^1]) : default;
        return between.Count > 0 && between.TrueForAll(node => _unfilled.Next(_standing.PlaceOf(node)) != _standing.PlaceOf(node));
    }

    private void TakeCalls(int first, int last, List<int> calls)
    {
        for (int place = _uncalled.Next(first); place <= last; place = _uncalled.Next(place))
        {
            calls.Add(_calls[place] - 1);
            _uncalled.Remove(place);
        }
    }
}
