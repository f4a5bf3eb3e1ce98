// pile show: one object as it looks inside: a tree with shared and cyclic references marked, or its stored bytes in hexadecimal.
// Nothing of it is created, and no type is loaded: the tree is of names and values.
using System.CommandLine;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>show</c>.</summary>
internal static class ShowVerb
{
    private const int DepthDefault = 16;
    private const int DepthMax = 500;
    private const int ItemsDefault = 100;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Argument<string> name = new("object") { Description = ObjectName.Description };
        Option<bool> hex = new("--hex") { Description = "Show the stored bytes, all of them." };
        Option<int> depth = new("--depth") { Description = $"Open objects so deep, 0 to {DepthMax}.", HelpName = "levels", DefaultValueFactory = static _ => DepthDefault };
        Option<int> items = new("--items") { Description = "Show so many members and items of one object, or lines of its bytes.", HelpName = "count", DefaultValueFactory = static _ => ItemsDefault };
        depth.Validators.Add(VerbBuilder.InRange(depth, 0, DepthMax));
        items.Validators.Add(VerbBuilder.InRange(items, 1, int.MaxValue));
        return VerbBuilder.Verb(
            "show",
            "Shows what an object holds, as a tree of names and values, shared and cyclic references marked.",
            directory,
            (run, parsed) => Run(run, parsed.GetRequiredValue(name), parsed.GetValue(hex), parsed.GetValue(depth), parsed.GetValue(items)),
            name,
            hex,
            depth,
            items);
    }

    private static ExitCode Run(VerbRun run, string name, bool isHex, int depth, int items)
    {
        using ObjectPile pile = run.OpenToRead(run.Directory!);
        PilePointer pointer = ObjectName.Find(pile, name);
        run.Write(
            json =>
            {
                ObjectJson.Write(json, pile, pointer);
                if (isHex)
                {
                    using PileLease lease = pile.Lease(pointer);
                    json.WriteString("hex", System.Convert.ToHexStringLower(lease.Bytes));
                }
            },
            text => Write(text, pile, pointer, isHex, depth, items));
        return ExitCode.Ok;
    }

    private static void Write(TextOutput text, ObjectPile pile, PilePointer pointer, bool isHex, int depth, int items)
    {
        using PileLease lease = pile.Lease(pointer);
        text.Line($"{pointer}  {lease.Kind}, {Amount.Count(lease.Length)} bytes");
        if (isHex || lease.Kind is PileKind.Bytes or PileKind.Value or PileKind.Span or PileKind.Codec)
        {
            int left = HexText.Write(text, lease.Bytes, isHex ? int.MaxValue : items);
            if (left > 0)
            {
                text.Line($"... {Amount.Count(left)} bytes more; --hex shows all");
            }
        }
        else
        {
            new TreeText(text, depth, items).Write(pile.Describe(pointer));
        }
    }
}
