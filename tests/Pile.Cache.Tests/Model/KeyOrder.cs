// The order of the changes of one key that several threads make: which values nobody may read any more who begins now.
// A value is outdated once another change has begun behind its end, and has ended too. What is under way at once has no order.
using System.Threading;

namespace Pile.Cache.Tests.Model;

/// <summary>Changes of a key. Thread-safe.</summary>
internal sealed class KeyOrder
{
    private const int Remembered = 256;

    private readonly Lock _gate = new();
    private readonly long[] _ends = new long[Remembered];
    private long _stamp;
    private long _begun;
    private long _completed;
    private long _forgotten;

    /// <summary>The greatest beginning of a change that has ended: what ended before it is outdated for whoever begins now.</summary>
    internal long Completed => Volatile.Read(ref _completed);

    /// <summary>A change begins.</summary>
    internal Change Begin()
    {
        lock (_gate)
        {
            long number = ++_begun;
            ref long end = ref _ends[number % Remembered];
            if (number > Remembered)
            {
                // One that is under way still has no end that could be before any other.
                _forgotten = end == 0 ? long.MaxValue : long.Max(_forgotten, end);
            }

            end = 0;
            return new Change(number, ++_stamp);
        }
    }

    /// <summary>From here on what is made counts as made: the source that it stands for was read.</summary>
    internal void NoteMade(Change change)
    {
        lock (_gate)
        {
            if (change.Number > _begun - Remembered)
            {
                _ends[change.Number % Remembered] = ++_stamp;
            }
        }
    }

    /// <summary>A change ends.</summary>
    /// <param name="change">The change.</param>
    /// <param name="isDone">Whether it was done: else nothing is outdated by it.</param>
    internal void End(Change change, bool isDone)
    {
        lock (_gate)
        {
            if (change.Number > _begun - Remembered && _ends[change.Number % Remembered] == 0)
            {
                _ends[change.Number % Remembered] = ++_stamp;
            }

            _completed = isDone ? long.Max(_completed, change.Began) : _completed;
        }
    }

    /// <summary>What is wrong with reading the value of a change, for who began when <see cref="Completed"/> was <paramref name="completed"/>; null for nothing.</summary>
    internal string? Problem(long number, long completed)
    {
        lock (_gate)
        {
            if (number < 1 || number > _begun)
            {
                return $"number {number} was never set, the last is {_begun}";
            }

            long end = number > _begun - Remembered ? _ends[number % Remembered] : _forgotten;
            return end != 0 && end < completed ? $"number {number} of {_begun} ended at {end}, and what began at {completed} had ended when the read began" : null;
        }
    }

    /// <summary>A change that is under way.</summary>
    internal readonly record struct Change(long Number, long Began);
}
