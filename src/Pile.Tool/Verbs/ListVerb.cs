// pile ls: the roots, and the objects by lane and type: how many, how large. With --objects each object.
// Types are by the names that are stored; none is loaded.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Text.Json;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>ls</c>.</summary>
internal static class ListVerb
{
    private const int ReportEvery = 1 << 14;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Option<bool> objects = new("--objects") { Description = "List each object instead of counts." };
        Option<PileKind?> kind = new("--kind") { Description = "Only objects of this lane.", CustomParser = ChoiceText.Parse<PileKind>("--kind") };
        Option<string?> type = new("--type") { Description = "Only objects whose stored type name contains this.", HelpName = "text" };
        Option<int> limit = new("--limit") { Description = "List so many objects at the most.", DefaultValueFactory = static _ => int.MaxValue, HelpName = "count", CustomParser = NumberText.Int("--limit", 0, int.MaxValue) };
        return VerbBuilder.Verb(
            "ls",
            "Lists the roots, and counts the objects by lane and type; --objects lists each.",
            directory,
            (run, parsed) => Run(run, new Filter(parsed.GetValue(kind), parsed.GetValue(type)), parsed.GetValue(objects), parsed.GetValue(limit)),
            objects,
            kind,
            type,
            limit);
    }

    private static ExitCode Run(VerbRun run, Filter filter, bool listsObjects, int limit)
    {
        using ObjectPile pile = run.OpenToRead(run.Directory!);
        if (listsObjects)
        {
            run.Write(json => WriteObjects(json, run, pile, filter, limit), text => WriteObjects(text, run, pile, filter, limit));
        }
        else
        {
            List<Row> roots = Roots(pile);
            SortedDictionary<(PileKind, string), Count> groups = run.WithProgress("counting", ofBytes: false, meter => CountAll(run, pile, filter, meter));
            run.Write(json => WriteGroups(json, roots, groups), text => WriteGroups(text, roots, groups));
        }

        return Damage.CodeOf(run, pile);
    }

    private static List<Row> Roots(ObjectPile pile)
    {
        List<Row> roots = [];
        foreach (string name in pile.Roots.Names)
        {
            if (pile.Roots.TryGet(name, out PilePointer pointer))
            {
                roots.Add(new Row(name, pointer, StoredObject.Of(pile, pointer)));
            }
        }

        return roots;
    }

    private static SortedDictionary<(PileKind, string), Count> CountAll(VerbRun run, ObjectPile pile, Filter filter, Meter meter)
    {
        SortedDictionary<(PileKind, string), Count> groups = [];
        PileStatistics statistics = pile.GetStatistics();
        long seen = 0;
        foreach (PileItem item in pile.Enumerate())
        {
            if (++seen % ReportEvery == 0)
            {
                run.Stop.ThrowIfCancellationRequested();
                meter.Report(seen, long.Max(seen, statistics.IsCounted ? statistics.Objects : statistics.SlotsIssued));
            }

            if (filter.Takes(pile, item, out string type))
            {
                Count before = groups.GetValueOrDefault((item.Kind, type));
                groups[(item.Kind, type)] = new Count(before.Objects + 1, before.Bytes + item.PayloadBytes);
            }
        }

        return groups;
    }

    private static void WriteGroups(TextOutput text, List<Row> roots, SortedDictionary<(PileKind Kind, string Type), Count> groups)
    {
        List<string[]> rows = [];
        foreach (Row root in roots)
        {
            rows.Add([root.Name, root.Pointer.ToString(), root.Found.Lane, root.Found.Type, Amount.Count(root.Found.Bytes, "-")]);
        }

        if (rows.Count > 0)
        {
            text.Table(["root", "pointer", "lane", "type", ">bytes"], rows);
            text.Line();
        }

        rows.Clear();
        Count all = default;
        foreach (((PileKind kind, string type), Count count) in groups)
        {
            rows.Add([kind.ToString(), type, Amount.Count(count.Objects), Amount.Count(count.Bytes)]);
            all = new Count(all.Objects + count.Objects, all.Bytes + count.Bytes);
        }

        rows.Add(["all", "", Amount.Count(all.Objects), Amount.Count(all.Bytes)]);
        text.Table(["lane", "type", ">objects", ">bytes"], rows);
    }

    private static void WriteGroups(Utf8JsonWriter json, List<Row> roots, SortedDictionary<(PileKind Kind, string Type), Count> groups)
    {
        json.Array("roots", roots, root =>
        {
            json.WriteString("name", root.Name);
            json.WriteString("pointer", root.Pointer.ToString());
            json.WriteString("lane", root.Found.Lane);
            json.WriteString("type", root.Found.Type);
            json.NumberOrNull("bytes", root.Found.Bytes);
        });
        json.Array("groups", groups, group =>
        {
            json.WriteString("lane", group.Key.Kind.ToString());
            json.WriteString("type", group.Key.Type);
            json.WriteNumber("objects", group.Value.Objects);
            json.WriteNumber("bytes", group.Value.Bytes);
        });
    }

    // Written as they are met: there may be more than memory holds.
    private static void WriteObjects(TextOutput text, VerbRun run, ObjectPile pile, Filter filter, int limit)
    {
        long written = 0;
        foreach (PileItem item in pile.Enumerate())
        {
            run.Stop.ThrowIfCancellationRequested();
            if (written < limit && filter.Takes(pile, item, out string type))
            {
                text.Cut($"{item.Pointer}  {item.Kind}  {Amount.Count(item.PayloadBytes)}  {type}".TrimEnd());
                written++;
            }
            else if (written >= limit)
            {
                break;
            }
        }
    }

    private static void WriteObjects(Utf8JsonWriter json, VerbRun run, ObjectPile pile, Filter filter, int limit)
    {
        long written = 0;
        json.WriteStartArray("objects");
        foreach (PileItem item in pile.Enumerate())
        {
            run.Stop.ThrowIfCancellationRequested();
            if (written >= limit)
            {
                break;
            }

            if (filter.Takes(pile, item, out string type))
            {
                json.WriteStartObject();
                json.WriteString("pointer", item.Pointer.ToString());
                json.WriteString("lane", item.Kind.ToString());
                json.WriteString("type", type);
                json.WriteNumber("bytes", item.PayloadBytes);
                json.WriteEndObject();
                if (++written % ReportEvery == 0)
                {
                    json.Flush();
                }
            }
        }

        json.WriteEndArray();
    }

    private sealed record Filter(PileKind? Kind, string? Type)
    {
        internal bool Takes(ObjectPile pile, in PileItem item, out string type)
        {
            type = "";
            return (Kind is null || item.Kind == Kind)
                && StoredObject.TryTypeName(pile, item.Pointer, out type)
                && (Type is null || type.Contains(Type, StringComparison.OrdinalIgnoreCase));
        }
    }

    private sealed record Row(string Name, PilePointer Pointer, StoredObject Found);

    private readonly record struct Count(long Objects, long Bytes);
}
