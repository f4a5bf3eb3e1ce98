// What a verb that reads says when some of what it was to read is damaged: it shows the rest, warns, and ends with Damaged.
// All that is damaged is listed by `pile verify`.
using System.Collections.Generic;
using System.IO;
using Pile.Tool.Output;

namespace Pile.Tool.Running;

/// <summary>Damage met while reading.</summary>
internal static class Damage
{
    /// <summary>What the pile's promise did not cover, as a damage of the whole.</summary>
    internal static IEnumerable<PileDamageReport> OfPromise(VerbRun run, PileRecoveryReport opened)
    {
        if (opened.MayBeOlder)
        {
            yield return new PileDamageReport(
                Path.GetFullPath(run.Directory!), $"it is {PilePromise.ProcessSafe} and was not closed in order before the machine started anew, its file system was mounted anew, or its files were copied to another one: it may be older than it was, and hold what was deleted");
        }
    }

    /// <summary>Verifies a pile.</summary>
    /// <exception cref="ToolException">Something of it is damaged.</exception>
    internal static void RefuseAny(VerbRun run, ObjectPile pile)
    {
        PileVerifyReport verified = run.WithProgress(
            "verifying", ofBytes: true, meter => pile.Verify(meter.As<PileVerifyProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop));
        if (!verified.IsGood)
        {
            throw new ToolException(
                ExitCode.Damaged, $"'{Path.GetFullPath(run.Directory!)}' is damaged: 'pile verify' says where, 'pile recover' brings what is whole into a new directory.");
        }
    }

    /// <summary>Entries of a cache that are damaged, in words.</summary>
    internal static string OfEntries(long damaged) => damaged == 1 ? "one of the cache was found to be damaged" : $"{Amount.Count(damaged)} of the cache were found to be damaged";

    /// <summary>The exit code of a verb that read all it could, with a word on standard error where that was not all.</summary>
    internal static ExitCode CodeOf(VerbRun run, ObjectPile pile)
    {
        long damages = pile.RecoveryReport().Damages.Count + pile.RecoveryReport().DamagesBeyond + (pile.RecoveryReport().MayBeOlder ? 1 : 0);
        PileStatistics statistics = pile.GetStatistics();
        if (damages == 0 && statistics.CorruptedObjects == 0 && statistics.TableDamages == 0)
        {
            return ExitCode.Ok;
        }

        run.Say($"the pile is damaged: {Amount.Count(damages)} places met by its opening, {Amount.Count(statistics.CorruptedObjects)} objects and {Amount.Count(statistics.TableDamages)} entries of the table met since. 'pile verify' lists them.");
        return ExitCode.Damaged;
    }
}
