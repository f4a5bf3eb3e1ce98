// pile info: what a directory says of its pile, without opening it: at once, whatever the size, and of a pile in use too.
// It looks at no record: `pile verify` does.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pile.Cache.Files;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>info</c>.</summary>
internal static class InfoVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Option<bool> files = new("--files") { Description = "List the files too." };
        return VerbBuilder.Verb(
            "info", "Says what a pile is, how it was closed and what it takes. Opens and changes nothing; of a pile in use too.", directory, (run, parsed) => Run(run, parsed.GetValue(files)), files);
    }

    private static ExitCode Run(VerbRun run, bool withFiles)
    {
        PileInspection pile = PileInspection.Of(run.Directory!, run.Stop);
        PileDamageReport[] damages = [.. pile.Damages, .. StoredTables.Problem(pile) is { } ofTables ? [ofTables] : Array.Empty<PileDamageReport>()];
        run.Write(json => Write(json, pile, damages), text => Write(text, pile, damages, withFiles));
        return damages.Length > 0 ? ExitCode.Damaged : ExitCode.Ok;
    }

    private static void Write(TextOutput text, PileInspection pile, PileDamageReport[] damages, bool withFiles)
    {
        (long bytes, long taken) = Sizes(pile);
        text.Pairs(
        [
            ("directory", pile.Directory),
            ("state", StateOf(pile)),
            ("promise", pile.Promise.ToString()),
            ("created", Amount.Moment(pile.Created)),
            ("identity", IdentityOf(pile)),
            ("format", Amount.Count(pile.FormatVersion)),
            ("tag", Amount.Count(pile.Tag)),
            ("objects", Amount.Count(pile.Objects, "not known before it is opened")),
            ("slots issued", Amount.Count(pile.SlotsIssued, "not known before it is opened")),
            ("segments", $"{Amount.Count(pile.Segments)} in use, {Amount.Bytes(pile.SegmentBytes)}"),
            .. CacheTables.CountOf(pile) is > 0 and int tables ? [("cache tables", Amount.Count(tables))] : Array.Empty<(string, string)>(),
            ("on the device", $"{Amount.Bytes(taken)} of {Amount.Bytes(bytes)} in {Amount.Count(pile.Files.Count)} files"),
            ("recoveries", $"{Amount.Count(pile.Recoveries)} from the log"),
            ("losses accepted", Amount.Count(pile.LossesAccepted)),
            ("damage", damages.Length == 0 ? "none in names and headers" : Amount.Count(damages.Length)),
        ]);
        foreach (PileDamageReport damage in damages)
        {
            text.Line($"{damage.Path}: {damage.What}", indent: 2);
        }

        if (withFiles)
        {
            List<string[]> rows = [];
            foreach (PileFile file in pile.Files)
            {
                rows.Add([file.Name, NameOf(file.Kind), Amount.Bytes(file.Bytes), Amount.Bytes(file.TakenBytes)]);
            }

            text.Line();
            text.Table(["file", "kind", ">length", ">on the device"], rows);
        }
    }

    private static void Write(Utf8JsonWriter json, PileInspection pile, PileDamageReport[] damages)
    {
        (long bytes, long taken) = Sizes(pile);
        json.WriteBoolean("isClosed", pile.IsClosed);
        json.WriteBoolean("isTableTrusted", pile.IsTableTrusted);
        json.WriteNumber("writerProcessId", pile.WriterProcessId);
        json.WriteString("promise", pile.Promise.ToString());
        json.WriteString("created", pile.Created);
        json.WriteString("identity", IdentityOf(pile));
        json.WriteNumber("formatVersion", pile.FormatVersion);
        json.WriteNumber("tag", pile.Tag);
        json.NumberOrNull("objects", pile.Objects);
        json.NumberOrNull("slotsIssued", pile.SlotsIssued);
        json.WriteNumber("segments", pile.Segments);
        json.WriteNumber("segmentBytes", pile.SegmentBytes);
        json.WriteNumber("fileBytes", bytes);
        json.WriteNumber("takenBytes", taken);
        json.WriteNumber("recoveries", pile.Recoveries);
        json.WriteNumber("lossesAccepted", pile.LossesAccepted);
        json.Array("files", pile.Files, file =>
        {
            json.WriteString("name", file.Name);
            json.WriteString("kind", file.Kind.ToString());
            json.WriteNumber("bytes", file.Bytes);
            json.WriteNumber("takenBytes", file.TakenBytes);
        });
        json.Damages("damages", damages);
    }

    private static string StateOf(PileInspection pile) =>
        pile.WriterProcessId != 0 ? $"in use by process {pile.WriterProcessId}"
        : pile.IsClosed ? "closed in order"
        : pile.IsTableTrusted ? "not closed in order; the next open for writing goes on at once"
        : "not closed in order; the next open reads all records";

    private static (long Bytes, long Taken) Sizes(PileInspection pile)
    {
        long bytes = 0;
        long taken = 0;
        foreach (PileFile file in pile.Files)
        {
            bytes += file.Bytes;
            taken += file.TakenBytes;
        }

        return (bytes, taken);
    }

    private static string IdentityOf(PileInspection pile) => pile.Identity.ToString("X16", CultureInfo.InvariantCulture);

    private static string NameOf(PileFileKind kind) => kind switch
    {
        PileFileKind.LargeObjects => "large objects",
        PileFileKind.TableSums => "table sums",
        PileFileKind.CacheIndex => "cache index",
        PileFileKind.CacheFacts => "cache facts",
        PileFileKind.CacheTables => "cache tables",
        PileFileKind.Other => "not the pile's",
        _ => kind.ToString().ToLowerInvariant(),
    };
}
