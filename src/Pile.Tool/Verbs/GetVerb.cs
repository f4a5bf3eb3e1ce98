// pile get: one object as it is used outside: text as UTF-8, an object graph as JSON, anything else as its bytes. To standard output,
// or to a file that is there whole or not at all.
// How an object looks inside is `pile show`'s.
using System.CommandLine;
using System.Text;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>get</c>.</summary>
internal static class GetVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Argument<string> name = new("object") { Description = ObjectName.Description };
        Option<bool> raw = new("--raw") { Description = "Write the bytes as they are stored." };
        Option<string?> output = new("--output", "-o") { Description = "Write to this file, which must not be there.", HelpName = "file" };
        return VerbBuilder.Verb(
            "get",
            "Writes an object: text as UTF-8, an object graph as JSON, anything else as its bytes.",
            directory,
            (run, parsed) => Run(run, parsed.GetRequiredValue(name), parsed.GetValue(raw), parsed.GetValue(output)),
            name,
            raw,
            output);
    }

    private static ExitCode Run(VerbRun run, string name, bool isRaw, string? output)
    {
        using ObjectPile pile = run.OpenToRead(run.Directory!);
        PilePointer pointer = ObjectName.Find(pile, name);
        if (run.IsJson)
        {
            run.Write(json => ObjectJson.Write(json, pile, pointer), static _ => { });
        }
        else
        {
            byte[] bytes = Bytes(pile, pointer, isRaw, out bool isText);
            if (output is not null)
            {
                NewFile.Write(output, bytes);
            }
            else if (VerbRun.IsTerminal && !isText)
            {
                run.Write(static _ => { }, text => _ = HexText.Write(text, bytes));
            }
            else
            {
                run.Stream.Write(bytes);
                run.Stream.Flush();
            }
        }

        return ExitCode.Ok;
    }

    private static byte[] Bytes(ObjectPile pile, PilePointer pointer, bool isRaw, out bool isText)
    {
        using PileLease lease = pile.Lease(pointer);
        isText = !isRaw && lease.Kind is (PileKind.NarrowString or PileKind.WideString or PileKind.Typed);
        return !isText ? lease.Bytes.ToArray()
            : lease.Kind == PileKind.Typed ? Encoding.UTF8.GetBytes(pile.ToJson(pointer) + "\n")
            : Encoding.UTF8.GetBytes(pile.Get<string>(pointer) + "\n");
    }
}
