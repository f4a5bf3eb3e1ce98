using System;
using System.Linq;
using System.Threading;

namespace PackageGraph.Measuring;

/// <summary>How long a blocking collection of everything stops the program, and what it leaves on the heap.</summary>
internal static class Gen2
{
    private const int Collections = 9;

    /// <summary>Median pause in milliseconds.</summary>
    internal static double PauseMs(Action<double> progress, CancellationToken cancel)
    {
        double[] pauses = new double[Collections];
        for (int index = 0; index < Collections; index++)
        {
            cancel.ThrowIfCancellationRequested();
            GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: false);
            pauses[index] = GC.GetGCMemoryInfo(GCKind.FullBlocking).PauseDurations[0].TotalMilliseconds;
            progress((index + 1.0) / Collections);
        }

        return pauses.Order().ElementAt(Collections / 2);
    }

    /// <summary>Bytes alive on the heap, which has given back to the system what it does not need.</summary>
    internal static long LiveBytes()
    {
        GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        GC.WaitForPendingFinalizers();
        GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        return GC.GetTotalMemory(forceFullCollection: false);
    }
}
