// What the verbs on entries have in common on the command line: the table, and words for keys and values.
// How words become bytes is said by Entries/Words.
using System.CommandLine;

namespace Pile.Tool.Verbs;

/// <summary>Arguments of the verbs on entries.</summary>
internal static class EntryArguments
{
    /// <summary>What words of keys say of themselves.</summary>
    internal const string KeyForms = "Text as it is, hex:00ff for bytes, json:\"a\\nb\" for text with escapes, text:hex:1 for text that begins so.";

    /// <summary>The table that a verb is about unless it is told another.</summary>
    internal const string TableDefault = "default";

    /// <summary>The table's name.</summary>
    internal static Option<string> Table() =>
        TableNames.Only(new Option<string>("--table", "-t") { Description = "The table.", HelpName = "name", DefaultValueFactory = static _ => TableDefault });

    /// <summary>One key.</summary>
    internal static Argument<string> Key() => new("key") { Description = $"The key. {KeyForms}" };
}
