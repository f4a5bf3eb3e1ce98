using System;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>Every open question of a step is asked here: which action comes next, what the disk holds. Run a step again after
/// each <see cref="MoveNext"/>, and it has been answered in every way; or, with a source of chance, in one way drawn.</summary>
internal sealed class Chooser
{
    private readonly List<(int Taken, int Of)> _answers = [];
    private readonly Random? _random;
    private int _asked;

    internal Chooser(Random? random = null) => _random = random;

    /// <summary>Starts over with the first answer to everything.</summary>
    internal void Restart()
    {
        _answers.Clear();
        _asked = 0;
    }

    /// <summary>A number from 0 to below <paramref name="of"/>.</summary>
    internal int Choose(int of)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(of, 1);
        if (of == 1)
        {
            return 0;
        }

        if (_asked == _answers.Count)
        {
            _answers.Add((_random?.Next(of) ?? 0, of));
        }

        (int taken, int among) = _answers[_asked++];
        return among == of
            ? taken
            : throw new InvalidOperationException($"question {_asked} had {among} answers and now has {of}: the step is not repeatable");
    }

    /// <summary>The next way to answer; false when there is none left.</summary>
    internal bool MoveNext()
    {
        _asked = 0;
        while (_answers.Count > 0)
        {
            (int taken, int of) = _answers[^1];
            if (taken + 1 < of)
            {
                _answers[^1] = (taken + 1, of);
                return true;
            }

            _answers.RemoveAt(_answers.Count - 1);
        }

        return false;
    }
}
