// The batches of a program that no flush has covered yet: after a power cut each is there whole, or not at all. A later change of one of its
// objects may outlive it; an object whose states do not tell them apart tells nothing.
using System;
using System.Collections.Generic;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class OwnBatches
{
    private readonly List<(int Number, long Change)[]> _batches = [];
    private int _marked;

    /// <summary>Notes a batch by its objects and the numbers of their changes.</summary>
    internal void Note((int Number, long Change)[] changes) => _batches.Add(changes);

    internal void Mark() => _marked = _batches.Count;

    internal void FlushedToMark()
    {
        _batches.RemoveRange(0, _marked);
        _marked = 0;
    }

    internal void Flushed() => _batches.Clear();

    /// <summary>Compares what a cut has left.</summary>
    internal void Check(KeyStates states, Func<int, byte[]?> shown)
    {
        foreach ((int Number, long Change)[] batch in _batches)
        {
            int told = 0;
            foreach ((int number, long change) in batch)
            {
                int tells = states.Tells(number, change, shown(number));
                told |= tells == 0 ? 0 : tells > 0 ? 2 : 1;
            }

            ModelMismatchException.Unless(told != 3, "half a batch", $"a batch of {batch.Length} changes is there in part");
        }
    }
}
