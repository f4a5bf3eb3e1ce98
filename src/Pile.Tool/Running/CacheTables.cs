// Tables of a cache that has its entries in a pile: an export leaves them behind, copies and salvages all but the durable ones, and say so.
// Their indexes are files of the directory; what opens them is VerbRun.
using System;
using System.IO;
using System.Linq;
using Pile.Cache.Files;
using Pile.Tool.Output;

namespace Pile.Tool.Running;

/// <summary>What is left behind of a cache.</summary>
internal static class CacheTables
{
    /// <summary>How many a directory has, without those that the cache has for itself. One whose index can't be read counts.</summary>
    internal static int CountOf(PileInspection pile) => pile.Files.Count(file => file.Kind == PileFileKind.CacheIndex && !IsOwn(Path.Combine(pile.Directory, file.Name)));

    /// <summary>Whether a directory has a cache: one has files of its own, also without a table.</summary>
    internal static bool HasAny(PileInspection pile) => pile.Files.Any(static file => file.Kind is PileFileKind.CacheIndex or PileFileKind.CacheFacts or PileFileKind.CacheTables);

    /// <summary>Says on standard error what of a cache is not in what a verb has made; nothing where there is no cache.</summary>
    /// <param name="run">The run.</param>
    /// <param name="withDurable">Whether durable tables are in it.</param>
    internal static void TellOfLeft(VerbRun run, bool withDurable)
    {
        int tables = CountOf(PileInspection.Of(run.Directory!, run.Stop));
        if (tables > 0)
        {
            run.Say(withDurable
                ? "the pile has a cache: its durable tables came along, the others and their entries were left behind."
                : $"the pile has a cache: its tables ({Amount.Count(tables)}) and their entries were left behind.");
        }
    }

    private static bool IsOwn(string path) => StoredTables.HeaderOf(path) is { } header && TagTable.IsName(header.Options.Name);
}
