// Tables of a cache that has its entries in a pile: the verbs that make another pile, or a stream, leave them behind, and say so.
// Their indexes are files of the directory; what opens them is VerbRun.
using System.Linq;
using Pile.Tool.Output;

namespace Pile.Tool.Running;

/// <summary>What is left behind of a cache.</summary>
internal static class CacheTables
{
    /// <summary>How many a directory has.</summary>
    internal static int CountOf(PileInspection pile) => pile.Files.Count(static file => file.Kind == PileFileKind.CacheIndex);

    /// <summary>Whether a directory has a cache: one has files of its own, also without a table.</summary>
    internal static bool HasAny(PileInspection pile) => pile.Files.Any(static file => file.Kind is PileFileKind.CacheIndex or PileFileKind.CacheFacts or PileFileKind.CacheTables);

    /// <summary>Says on standard error what of a cache is not in what a verb has made; nothing where there is no cache.</summary>
    internal static void TellOfLeft(VerbRun run)
    {
        int tables = CountOf(PileInspection.Of(run.Directory!, run.Stop));
        if (tables > 0)
        {
            run.Say($"the pile has a cache: its tables ({Amount.Count(tables)}) and their entries were left behind.");
        }
    }
}
