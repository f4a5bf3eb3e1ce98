using System;

namespace Pile.HitRatio.Traces;

/// <summary>Draws ranks 1 to n with probability proportional to rank^-s, by rejection-inversion (Hormann and Derflinger, "Rejection-
/// inversion to generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996): exact, without a table.</summary>
internal sealed class ZipfSampler
{
    private readonly double _exponent;
    private readonly long _ranks;
    private readonly double _lowest;
    private readonly double _highest;
    private readonly double _alwaysWithin;

    /// <param name="ranks">How many ranks, at least 1.</param>
    /// <param name="exponent">The exponent s, above 0.</param>
    internal ZipfSampler(long ranks, double exponent)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(ranks, 1);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(exponent);
        _exponent = exponent;
        _ranks = ranks;
        _lowest = Area(1.5) - 1;
        _highest = Area(ranks + 0.5);
        _alwaysWithin = 2 - AreaInverse(Area(2.5) - Weight(2));
    }

    /// <summary>The next rank, from 1.</summary>
    internal long Next(SplitMix random)
    {
        while (true)
        {
            double area = _highest + (random.NextUnit() * (_lowest - _highest));
            double x = AreaInverse(area);
            long rank = long.Clamp((long)(x + 0.5), 1, _ranks);
            if (rank - x <= _alwaysWithin || area >= Area(rank + 0.5) - Weight(rank))
            {
                return rank;
            }
        }
    }

    private double Weight(double x) => Math.Pow(x, -_exponent);

    /// <summary>The integral of the weight from 1 on.</summary>
    private double Area(double x) => _exponent == 1 ? Math.Log(x) : (Math.Pow(x, 1 - _exponent) - 1) / (1 - _exponent);

    private double AreaInverse(double area) => _exponent == 1 ? Math.Exp(area) : Math.Pow(1 + (area * (1 - _exponent)), 1 / (1 - _exponent));
}
