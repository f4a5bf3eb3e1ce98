// Objects with callbacks, by where they begin, and their calls, each once. Only graphs with callbacks have it.
// When an object is called is decided elsewhere: FillOrder, RingOrder, and Completion for the rest.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Objects to call.</summary>
internal sealed class CalledObjects(GraphContext context)
{
    private readonly Dictionary<int, int> _indexes = [];

    /// <summary>Takes what has come since the last call.</summary>
    internal void Begin()
    {
        for (int index = _indexes.Count; index < context.Callbacks.Count; index++)
        {
            _indexes[context.Callbacks[index].Offset] = index;
        }
    }

    /// <summary>The number of the object that begins at an offset, if it is to be called; else -1.</summary>
    internal int Find(int offset) => _indexes.TryGetValue(offset, out int index) && !context.Callbacks[index].IsDone ? index : -1;

    /// <summary>Calls objects by their numbers, inner ones first: what was put off to the end is inside of what stands before.</summary>
    internal void Call(List<int> met)
    {
        met.Sort((left, right) => (-BodyOf(left), left).CompareTo((-BodyOf(right), right)));
        List<Called> calls = [];
        foreach (int index in met)
        {
            Called called = context.Callbacks[index];
            if (!called.IsDone)
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

    /// <summary>The number of the body that an object to call stands in: how many had begun.</summary>
    private int BodyOf(int index)
    {
        int start = context.CallbackStarts.BinarySearch(index);
        return start < 0 ? ~start : start + 1;
    }
}
