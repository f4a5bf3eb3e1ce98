// Where the bytes of one value go: to a file that is there whole or not at all, to a terminal without control characters, as hexadecimal
// where they are no text, or to standard output as they are. With --json the document is written too where a file gets the bytes, and instead where none does.
using System;
using System.Text;
using System.Text.Json;
using Pile.Tool.Running;

namespace Pile.Tool.Output;

/// <summary>The output of one value.</summary>
internal static class ValueOutput
{
    /// <summary>Writes a value.</summary>
    /// <param name="run">The run.</param>
    /// <param name="bytes">The value.</param>
    /// <param name="isText">Whether a terminal can show it.</param>
    /// <param name="file">The file to write to, or null.</param>
    /// <param name="document">Writes the members of the document.</param>
    internal static void Write(VerbRun run, byte[] bytes, bool isText, string? file, Action<Utf8JsonWriter> document)
    {
        if (file is not null)
        {
            NewFile.Write(file, bytes);
        }

        if (run.IsJson)
        {
            run.Write(document, static _ => { });
        }
        else if (file is null && VerbRun.IsTerminal && !isText)
        {
            run.Write(static _ => { }, text => _ = HexText.Write(text, bytes));
        }
        else if (file is null)
        {
            // A terminal would obey what text holds beside its lines.
            byte[] shown = VerbRun.IsTerminal ? Encoding.UTF8.GetBytes(TextOutput.Lines(Encoding.UTF8.GetString(bytes))) : bytes;
            run.Stream.Write(shown);
            if (VerbRun.IsTerminal && shown is not [.., (byte)'\n'])
            {
                run.Stream.WriteByte((byte)'\n');
            }

            run.Stream.Flush();
        }
    }
}
