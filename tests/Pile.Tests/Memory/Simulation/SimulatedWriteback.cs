// What the system does by itself with what was stored: it writes it to the device after a while, and tells nobody who does not ask when that fails.
using System.IO;

namespace Pile.Tests.Memory.Simulation;

/// <summary>Writeback of simulated files.</summary>
internal static class SimulatedWriteback
{
    /// <summary>Writes back what was stored in a file, or in all of a directory, on a device that takes nothing at that moment.</summary>
    internal static void FailWriteback(this SimulatedFiles files, string path)
    {
        lock (files.Gate)
        {
            SimulatedNode node = files.DirectoryAt("writeback", Path.GetDirectoryName(path)!).Names[Path.GetFileName(path)];
            foreach (SimulatedFile file in node is SimulatedFile one ? [one] : ((SimulatedDirectory)node).Files())
            {
                file.FailWriteback();
            }
        }
    }
}
