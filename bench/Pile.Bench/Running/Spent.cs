using System.Diagnostics;
using Pile.Bench.Baselines;

namespace Pile.Bench.Running;

/// <summary>Nanoseconds on two clocks: the wall's, and what the processor gave this thread. On a machine that others use, the
/// second leaves out the time they had; it also leaves out waiting and what a pile's own background thread did.</summary>
internal readonly record struct Spent(double WallNs, double CpuNs)
{
    /// <summary>Both clocks now.</summary>
    internal static Spent Now()
    {
        double wall = Stopwatch.GetElapsedTime(0, Stopwatch.GetTimestamp()).TotalNanoseconds;
        return new(wall, SystemCalls.ThreadCpuNs() ?? wall);
    }

    public static Spent operator +(Spent left, Spent right) => new(left.WallNs + right.WallNs, left.CpuNs + right.CpuNs);

    public static Spent operator -(Spent left, Spent right) => new(left.WallNs - right.WallNs, left.CpuNs - right.CpuNs);

    public static Spent operator *(Spent spent, double factor) => new(spent.WallNs * factor, spent.CpuNs * factor);

    public static Spent operator /(Spent spent, double operations) => new(spent.WallNs / operations, spent.CpuNs / operations);
}
