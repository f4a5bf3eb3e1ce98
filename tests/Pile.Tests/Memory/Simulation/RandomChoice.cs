using System;

namespace Pile.Tests.Memory.Simulation;

/// <summary>Chance, with a leaning that changes from cut to cut and from page to page: whole pages old or new are as likely as torn ones.</summary>
internal sealed class RandomChoice(Random random) : CutChoice
{
    private static readonly double[] _leanings = [0, 0.1, 0.5, 0.9, 1];
    private readonly double _newestOfAll = _leanings[random.Next(_leanings.Length)];
    private readonly bool _differs = random.Next(2) == 0;
    private double _newest;

    internal override int Choose(int options)
    {
        double drawn = random.NextDouble();
        return drawn < _newest ? options - 1 : drawn < _newest + ((1 - _newest) / 2) ? 0 : random.Next(options);
    }

    internal override void NextScope() => _newest = _differs ? _leanings[random.Next(_leanings.Length)] : _newestOfAll;
}
