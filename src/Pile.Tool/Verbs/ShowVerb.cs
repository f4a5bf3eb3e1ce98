// pile show: one object of a pile: as a tree with shared and cyclic references marked, as it is used outside, or as its stored bytes.
// Nothing of it is created, and no type is loaded. Entries of a cache are `pile get`'s.
using System;
using System.CommandLine;
using System.Text;
using System.Text.Json;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>show</c>.</summary>
internal static class ShowVerb
{
    private const int DepthDefault = 16;
    private const int DepthMax = 500;
    private const int ItemsDefault = 100;

    /// <summary>How an object is shown.</summary>
    private enum Form
    {
        Tree,
        Value,
        Raw,
        Hex,
    }

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Argument<string> name = new("object") { Description = ObjectName.Description };
        Option<Form?> form = new("--as") { Description = "Tree: names and values. Value: as it is used outside: text as UTF-8, a graph as JSON, all else as its bytes. Raw: the stored bytes. Hex: these for people. Tree unless given, with --output Value.", CustomParser = ChoiceText.Parse<Form>("--as") };
        Option<string?> output = new("--output", "-o") { Description = "Write the value or the raw bytes to this file, which must not be there.", HelpName = "file" };
        Option<int> depth = new("--depth") { Description = $"Open objects so deep, 0 to {DepthMax}.", HelpName = "levels", DefaultValueFactory = static _ => DepthDefault, CustomParser = NumberText.Int("--depth", 0, DepthMax) };
        Option<int> items = new("--items") { Description = "Show so many members and items of one object, or lines of its bytes.", HelpName = "count", DefaultValueFactory = static _ => ItemsDefault, CustomParser = NumberText.Int("--items", 1, int.MaxValue) };
        return VerbBuilder.Verb(
            "show",
            "Shows what an object of a pile holds: as a tree, as its value, or as its bytes.",
            directory,
            (run, parsed) =>
            {
                string? file = parsed.GetValue(output);
                Form asked = parsed.GetValue(form) ?? (file is null ? Form.Tree : Form.Value);
                return file is not null && asked is not (Form.Value or Form.Raw)
                    ? throw new ArgumentException($"--output is for the value or the raw bytes of an object, not for --as {asked}. Leave one of them out.")
                    : Run(run, parsed.GetRequiredValue(name), asked, file, parsed.GetValue(depth), parsed.GetValue(items));
            },
            name,
            form,
            output,
            depth,
            items);
    }

    /// <summary>Writes the value of an object, as it is used outside.</summary>
    internal static ExitCode WriteValue(VerbRun run, string name, string? output) => Run(run, name, Form.Value, output, DepthDefault, ItemsDefault);

    private static ExitCode Run(VerbRun run, string name, Form form, string? output, int depth, int items)
    {
        using ObjectPile pile = run.OpenToRead(run.Directory!);
        PilePointer pointer = ObjectName.Find(pile, name);
        if (output is null && (run.IsJson || form is Form.Tree or Form.Hex))
        {
            run.Write(json => Write(json, pile, pointer, form), text => Write(text, pile, pointer, form, depth, items));
            return ExitCode.Ok;
        }

        byte[] bytes = Bytes(pile, pointer, form, out bool isText);
        ValueOutput.Write(run, bytes, isText, output, json => Write(json, pile, pointer, form));
        return ExitCode.Ok;
    }

    private static void Write(Utf8JsonWriter json, ObjectPile pile, PilePointer pointer, Form form)
    {
        ObjectJson.Write(json, pile, pointer);
        if (form == Form.Hex)
        {
            using PileLease lease = pile.Lease(pointer);
            json.WriteString("hex", Convert.ToHexStringLower(lease.Bytes));
        }
    }

    private static void Write(TextOutput text, ObjectPile pile, PilePointer pointer, Form form, int depth, int items)
    {
        using PileLease lease = pile.Lease(pointer);
        text.Line($"{pointer}  {lease.Kind}, {Amount.Count(lease.Length)} bytes");
        if (form == Form.Hex || lease.Kind is PileKind.Bytes or PileKind.Value or PileKind.Span or PileKind.Codec)
        {
            int left = HexText.Write(text, lease.Bytes, form == Form.Hex ? int.MaxValue : items);
            if (left > 0)
            {
                text.Line($"... {Amount.Count(left)} bytes more; --as Hex shows all");
            }
        }
        else
        {
            new TreeText(text, depth, items).Write(pile.Describe(pointer));
        }
    }

    private static byte[] Bytes(ObjectPile pile, PilePointer pointer, Form form, out bool isText)
    {
        using PileLease lease = pile.Lease(pointer);
        isText = form == Form.Value && lease.Kind is (PileKind.NarrowString or PileKind.WideString or PileKind.Typed);
        return !isText ? lease.Bytes.ToArray()
            : lease.Kind == PileKind.Typed ? Encoding.UTF8.GetBytes(pile.ToJson(pointer) + "\n")
            : Encoding.UTF8.GetBytes(pile.Get<string>(pointer) + "\n");
    }
}
