using System;
using System.Linq;

namespace Pile.Tests.Memory.Simulation;

/// <summary>The loss of a pile's table, or of its checksums: the next open goes by the log, though no power was cut.</summary>
internal static class LostTable
{
    private const int OneIn = 6;

    /// <summary>Removes it now and then. Nobody has the pile open.</summary>
    internal static SimulatedFiles Perhaps(SimulatedFiles files, string directory, Random random)
    {
        if (random.Next(OneIn) == 0 && files.Exists(directory))
        {
            string lost = random.Next(2) == 0 ? "table." : "sums.";
            foreach (string name in files.List(directory).Where(name => name.StartsWith(lost, StringComparison.Ordinal)).ToArray())
            {
                files.Delete($"{directory}/{name}");
            }
        }

        return files;
    }
}
