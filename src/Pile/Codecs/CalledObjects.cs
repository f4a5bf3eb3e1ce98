// Who is called before a collection is filled: objects with callbacks that its keys and comparers lead to, each once.
// Only graphs with callbacks have it. Where a key leads back to a collection that is being filled, only what stands in the key
// itself is called, and only if that collection does not stand there too: a parent is called when it has its children.
using System;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Objects to call, by where they begin.</summary>
internal sealed class CalledObjects(GraphContext context, Dictionary<int, Pending> pending, Dictionary<int, Deferred> deferred)
{
    /// <summary>Values of a key that are looked at: a key of more is called with all others, so that large keys which hold each other take
    /// no square of their size.</summary>
    private const int ValuesMax = 1000;

    private readonly Dictionary<int, int> _indexes = [];
    private readonly HashSet<int> _back = [];

    /// <summary>Takes what has come since the last call.</summary>
    internal void Begin()
    {
        for (int index = _indexes.Count; index < context.Callbacks.Count; index++)
        {
            _indexes[context.Callbacks[index].Offset] = index;
        }
    }

    /// <summary>Notes the object that begins at an offset, if it is to be called.</summary>
    internal void Note(int offset, List<int> met)
    {
        if (_indexes.TryGetValue(offset, out int index) && !context.Callbacks[index].IsDone)
        {
            met.Add(index);
        }
    }

    /// <summary>Whether the way over an offset led back when it was gone.</summary>
    internal bool LedBack(int offset) => _back.Contains(offset);

    /// <summary>Calls those that were met, or keeps in mind that the way led back.</summary>
    internal void Leave(List<int> met, HashSet<int> seen, bool leadsBack)
    {
        if (leadsBack)
        {
            _back.UnionWith(seen);
        }
        else
        {
            Call(met);
        }
    }

    /// <summary>Calls what stands in a key, or a comparer itself, and has not been called for all that it leads to.</summary>
    internal void CallKey(WireReader at, int offset, bool isComparer)
    {
        List<int> met = [];
        at.Position = offset;
        if (at.PeekExtension() == WireCode.Reference)
        {
            at.Position = FillOrder.TargetOf(at.ReadExtension(WireCode.Reference, -1));
        }

        if (isComparer)
        {
            Note(at.Position, met);
        }
        else if (!TryNoteInside(at, met))
        {
            return;
        }

        Call(met);
    }

    /// <summary>Notes what stands inside a value.</summary>
    /// <returns>False where a collection that is being filled stands there, or more than is looked at.</returns>
    private bool TryNoteInside(WireReader at, List<int> met)
    {
        Stack<int> bodies = new([at.Position]);
        int values = 0;
        while (bodies.TryPop(out int body))
        {
            at.Position = body;
            for (long left = 1; left > 0; left--)
            {
                int offset = at.Position;
                if (++values > ValuesMax || IsOpen(offset))
                {
                    return false;
                }

                switch (WireTypes.Of(at.Peek()))
                {
                    case WireType.Array:
                        Note(offset, met);
                        left += at.ReadArrayHeader();
                        break;
                    case WireType.Extension:
                        ReadOnlySpan<byte> bytes = at.ReadExtension(out byte code);
                        if (code == WireCode.Reference && IsOpen(FillOrder.TargetOf(bytes)))
                        {
                            return false;
                        }

                        if (code == WireCode.Forward)
                        {
                            Note(offset, met);
                            if (!deferred.TryGetValue(offset, out Deferred? found) || found.Body == 0)
                            {
                                return false;
                            }

                            bodies.Push(found.Body);
                        }

                        break;
                    default:
                        at.Skip();
                        break;
                }
            }
        }

        return true;
    }

    /// <summary>The number of the body that an object to call stands in: how many had begun.</summary>
    private int BodyOf(int index)
    {
        int start = context.CallbackStarts.BinarySearch(index);
        return start < 0 ? ~start : start + 1;
    }

    private bool IsOpen(int offset) => pending.TryGetValue(offset, out Pending? waits) && waits.IsOpen;

    /// <summary>Calls objects, inner ones first: what was put off to the end is inside of what stands before. What waits still is called when it is
    /// filled, or at the end.</summary>
    private void Call(List<int> met)
    {
        met.Sort((left, right) => (-BodyOf(left), left).CompareTo((-BodyOf(right), right)));
        List<Called> calls = [];
        foreach (int index in met)
        {
            Called called = context.Callbacks[index];
            if (!called.IsDone && (!pending.TryGetValue(called.Offset, out Pending? waits) || waits.IsDone))
            {
                context.Callbacks[index] = called with { IsDone = true };
                calls.Add(called);
            }
        }

        foreach (Called called in calls)
        {
            called.Plan.Completed(called.Value);
        }

        foreach (Called called in calls)
        {
            called.Plan.Notify(called.Value);
        }
    }
}
