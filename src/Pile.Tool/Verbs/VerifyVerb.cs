// pile verify: every header, checksum and reference of a pile, which is opened for reading alone and not changed; of a server, which does it itself.
// It repairs nothing: `pile recover` brings what is whole into a new directory.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Linq;
using System.Text.Json;
using Pile.Cache.Files;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>verify</c>.</summary>
internal static class VerifyVerb
{
    private const int ShownMax = 50;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.WherePile();
        return VerbBuilder.Verb(
            "verify", "Compares every checksum and every reference of a pile. The exit code is 0 when all is well, 1 when something is damaged. Changes nothing.", where, (run, _) => run.Address is null ? Run(run) : AtServer(run));
    }

    private static ExitCode Run(VerbRun run)
    {
        PileInspection headers = PileInspection.Of(run.Directory!, run.Stop);
        using ObjectPile pile = run.OpenToRead(run.Directory!);
        PileRecoveryReport opened = pile.RecoveryReport();
        PileVerifyReport report = run.WithProgress(
            "verifying", ofBytes: true, meter => pile.Verify(meter.As<PileVerifyProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop));
        IndexedRecords? entries = CacheTables.HasAny(headers) ? IndexedRecords.Compare(pile, run.Stop) : null;
        PileDamageReport[] ofTables = StoredTables.Problem(headers, pile, run.Stop) is { } problem ? [problem] : [];
        PileDamageReport[] ofCopies = Array.FindAll(ofTables, StoredTables.IsMended);
        var outcome = new Outcome(pile, [.. NotOfRows(headers.Damages), .. ofCopies, .. opened.Damages, .. Damage.OfPromise(run, opened)], ofCopies.Length > 0 ? [] : ofTables, WithoutThoseOf(opened, report), entries, Dangling(pile));
        run.Write(json => Write(json, outcome), text => Write(text, outcome));
        return outcome.IsGood ? ExitCode.Ok : ExitCode.Damaged;
    }

    /// <summary>What the headers say, but of rows of segments: the open has read those too, and says what became of the segment.</summary>
    private static IEnumerable<PileDamageReport> NotOfRows(IEnumerable<PileDamageReport> damages) =>
        damages.Where(static damage => !damage.What.StartsWith("the row of its segment ", StringComparison.Ordinal));

    /// <summary>The report without the objects that the open met as lost: each is one damage, and told once.</summary>
    private static PileVerifyReport WithoutThoseOf(PileRecoveryReport opened, PileVerifyReport report)
    {
        HashSet<string> told = [.. opened.Damages.Select(static damage => damage.What[(damage.What.LastIndexOf(": ", StringComparison.Ordinal) + 1)..])];
        return report with { Findings = [.. report.Findings.Where(finding => finding.Damage != PileDamage.PayloadChecksumInvalid || !told.Contains($" the object of {finding.Where} is lost"))] };
    }

    private static ExitCode AtServer(VerbRun run)
    {
        V1.VerifyReply reply = ServerCare.Verify(run);
        run.Write(
            json =>
            {
                json.WriteBoolean("isGood", reply.IsGood);
                json.WriteNumber("segments", reply.Segments);
                json.WriteNumber("records", reply.Records);
                json.WriteNumber("objects", reply.Objects);
                json.WriteStartArray("findings");
                foreach (string finding in reply.Findings)
                {
                    json.WriteStringValue(finding);
                }

                json.WriteEndArray();
            },
            text =>
            {
                text.Pairs(
                [
                    ("segments", Amount.Count((long)reply.Segments)),
                    ("records", Amount.Count((long)reply.Records)),
                    ("objects", Amount.Count((long)reply.Objects)),
                    ("damage", reply.IsGood ? "none" : Amount.Count(reply.Findings.Count)),
                ]);
                foreach (string finding in reply.Findings)
                {
                    text.Line(finding, indent: 2);
                }
            });
        return reply.IsGood ? ExitCode.Ok : ExitCode.Damaged;
    }

    /// <summary>Roots that lead to no object: allowed, and worth a word.</summary>
    private static List<string> Dangling(ObjectPile pile)
    {
        List<string> names = [];
        foreach (string name in pile.Roots.Names)
        {
            if (pile.Roots.TryGet(name, out PilePointer pointer) && !pointer.IsNull)
            {
                if (pile.TryLease(pointer, out PileLease lease, out PileStatus status))
                {
                    lease.Dispose();
                }
                else if (status == PileStatus.Stale)
                {
                    names.Add(name);
                }
            }
        }

        return names;
    }

    private static void Write(TextOutput text, Outcome outcome)
    {
        PileRecoveryReport opened = outcome.Pile.RecoveryReport();
        text.Pairs(
        [
            ("opened", $"{opened.Opening}: {opened.Reason}"),
            ("segments", Amount.Count(outcome.Report.Segments)),
            ("records", Amount.Count(outcome.Report.Records)),
            ("objects", Amount.Count(outcome.Report.Objects)),
            .. outcome.Entries is { } entries ? [("entries", $"{Amount.Count(entries.Entries)} of speculative tables{(entries.TablesLeft == 0 ? "" : $"; tables that the next open takes for empty, not compared: {Amount.Count(entries.TablesLeft)}")}")] : Array.Empty<(string, string)>(),
            ("bytes", Amount.Bytes(outcome.Report.Bytes)),
            ("roots", outcome.Dangling.Count == 0 ? Amount.Count(outcome.Pile.Roots.Count) : $"{Amount.Count(outcome.Pile.Roots.Count)}, {Amount.Count(outcome.Dangling.Count)} of them to deleted objects: {string.Join(", ", outcome.Dangling)}"),
            ("damage", outcome.IsGood ? "none" : Amount.Count(outcome.Damages.Count + opened.DamagesBeyond + outcome.Findings.Count)),
        ]);
        int shown = 0;
        foreach (PileDamageReport damage in outcome.Damages)
        {
            if (shown++ < ShownMax)
            {
                text.Line($"{damage.Path}: {damage.What}", indent: 2);
            }
        }

        foreach (PileFinding finding in outcome.Findings)
        {
            if (shown++ < ShownMax)
            {
                text.Line($"{finding.Damage}: {finding.Where}: {finding.Actual}, where there should be {finding.Expected}", indent: 2);
            }
        }

        if (shown > ShownMax)
        {
            text.Line($"and {Amount.Count(shown - ShownMax + opened.DamagesBeyond)} more; --json has {(opened.DamagesBeyond == 0 ? "all" : $"{Amount.Count(shown)}")}", indent: 2);
        }

        if (outcome.Entries is { Findings.Count: > 0 })
        {
            text.Line("A damaged entry of a speculative table is a miss to its program, and goes when the cleaner comes to it; 'pile tables --clear' empties a table.");
        }

        if (outcome.OfPile.Count > 0 || !outcome.Report.IsGood)
        {
            text.Line("'pile recover' brings what is whole into a new directory, and lists what was dropped.");
        }

        if (outcome.OfTables.Count > 0)
        {
            // Nor does a recovery: what it makes lacks the list as well.
            text.Line("Nothing brings the list of durable tables back but a copy of the file; 'pile export' and 'pile import' make a pile of all but the entries of a cache.");
        }
    }

    private static void Write(Utf8JsonWriter json, Outcome outcome)
    {
        json.WriteBoolean("isGood", outcome.IsGood);
        json.WriteString("opening", outcome.Pile.RecoveryReport().Opening.ToString());
        json.WriteString("reason", outcome.Pile.RecoveryReport().Reason);
        json.WriteNumber("segments", outcome.Report.Segments);
        json.WriteNumber("records", outcome.Report.Records);
        json.WriteNumber("objects", outcome.Report.Objects);
        json.WriteNumber("bytes", outcome.Report.Bytes);
        json.WriteNumber("cacheEntries", outcome.Entries?.Entries ?? 0);
        json.WriteNumber("roots", outcome.Pile.Roots.Count);
        json.WriteStartArray("rootsToDeletedObjects");
        outcome.Dangling.ForEach(json.WriteStringValue);
        json.WriteEndArray();
        json.Damages("damages", outcome.Damages);
        json.WriteNumber("damagesBeyond", outcome.Pile.RecoveryReport().DamagesBeyond);
        json.Array("findings", outcome.Findings, finding =>
        {
            json.WriteString("damage", finding.Damage.ToString());
            json.WriteString("where", finding.Where);
            json.WriteString("expected", finding.Expected);
            json.WriteString("actual", finding.Actual);
        });
    }

    /// <param name="Pile">The pile.</param>
    /// <param name="OfPile">What is damaged of its files.</param>
    /// <param name="OfTables">What is of the list of a cache's durable tables.</param>
    /// <param name="Report">What its own look found.</param>
    /// <param name="Entries">Entries of speculative tables; null where there is no cache.</param>
    /// <param name="Dangling">Roots that lead to no object.</param>
    private sealed record Outcome(
        ObjectPile Pile, IReadOnlyList<PileDamageReport> OfPile, IReadOnlyList<PileDamageReport> OfTables, PileVerifyReport Report, IndexedRecords? Entries, List<string> Dangling)
    {
        internal IReadOnlyList<PileDamageReport> Damages { get; } = [.. OfPile, .. OfTables];

        internal IReadOnlyList<PileFinding> Findings { get; } = [.. Report.Findings, .. Entries?.Findings ?? []];

        internal bool IsGood => Damages.Count == 0 && Findings.Count == 0;
    }
}
