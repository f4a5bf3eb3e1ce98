using System;
using System.Collections.Generic;
using System.Linq;

namespace Pile.Bench.Running;

/// <summary>Quantiles of a few figures, linear between neighbours.</summary>
internal static class Quantile
{
    internal static double Of(IEnumerable<double> values, double fraction)
    {
        double[] sorted = [.. values.Order()];
        double position = (sorted.Length - 1) * fraction;
        int below = (int)Math.Floor(position);
        int above = (int)Math.Ceiling(position);
        return sorted[below] + ((sorted[above] - sorted[below]) * (position - below));
    }
}
