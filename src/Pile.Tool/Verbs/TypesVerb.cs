// pile types: the versions of types whose objects the pile has stored, with their members. By their stored names alone.
// How many objects each has is `pile ls`'s.
using System.Collections.Generic;
using System.CommandLine;
using System.Text.Json;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>types</c>.</summary>
internal static class TypesVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        return VerbBuilder.Verb("types", "Lists the types of stored objects, each version with its members. No type is loaded.", directory, (run, _) => Run(run));
    }

    private static ExitCode Run(VerbRun run)
    {
        using ObjectPile pile = run.OpenToRead(run.Directory!);
        IReadOnlyList<PileStoredType> types = pile.StoredTypes();
        run.Write(json => Write(json, types), text => Write(text, types));
        return Damage.CodeOf(run, pile);
    }

    private static void Write(TextOutput text, IReadOnlyList<PileStoredType> types)
    {
        if (types.Count == 0)
        {
            text.Line("No types: strings, bytes and unmanaged values need none.");
        }

        foreach (PileStoredType type in types)
        {
            text.Line($"{type.Number}  {(type.IsValue ? "struct" : "class")} {type.Name}");
            foreach (PileStoredMember member in type.Members)
            {
                string name = member.Name.Length > 0 ? member.Name : "each";
                text.Line($"{name}: {(member.TypeName.Length > 0 ? member.TypeName : "never stored")}{(member.IsNullable ? "?" : "")}", indent: 4);
            }
        }
    }

    private static void Write(Utf8JsonWriter json, IReadOnlyList<PileStoredType> types) => json.Array("types", types, type =>
    {
        json.WriteNumber("number", type.Number);
        json.WriteString("name", type.Name);
        json.WriteBoolean("isValue", type.IsValue);
        json.Array("members", type.Members, member =>
        {
            json.WriteString("name", member.Name);
            json.WriteString("declaringType", member.DeclaringType);
            json.WriteString("type", member.TypeName);
            json.WriteBoolean("isNullable", member.IsNullable);
        });
    });
}
