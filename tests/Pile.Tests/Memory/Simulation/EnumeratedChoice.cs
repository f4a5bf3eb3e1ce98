using System.Collections.Generic;

namespace Pile.Tests.Memory.Simulation;

/// <summary>All combinations, one after another: the choices of a run are the digits of a number that <see cref="TryAdvance"/> counts up.</summary>
internal sealed class EnumeratedChoice : CutChoice
{
    private readonly List<(int Value, int Options)> _digits = [];
    private int _next;

    internal override int Choose(int options)
    {
        if (_next == _digits.Count)
        {
            _digits.Add((0, options));
        }

        return _digits[_next++].Value;
    }

    /// <summary>Goes on to the next combination; false when there is none.</summary>
    internal bool TryAdvance()
    {
        _next = 0;
        while (_digits.Count > 0)
        {
            (int value, int options) = _digits[^1];
            if (value + 1 < options)
            {
                _digits[^1] = (value + 1, options);
                return true;
            }

            _digits.RemoveAt(_digits.Count - 1);
        }

        return false;
    }
}
