// The words of the command line as bytes: the runtime makes U+FFFD of what is no UTF-8, and two keys would be one.
// Where the system does not show the bytes, the words count as they are.
using System;
using System.IO;
using System.Text;
using System.Text.Unicode;

namespace Pile.Tool.Running;

/// <summary>Words as they were given.</summary>
internal static class GivenWords
{
    private const char Replacement = '\uFFFD';
    private const string CommandLine = "/proc/self/cmdline";

    /// <summary>What is wrong with the bytes of the process's words; null where nothing is.</summary>
    internal static string? MistakeIn(string[] words)
    {
        if (!Array.Exists(words, static word => word.Contains(Replacement, StringComparison.Ordinal)) || !File.Exists(CommandLine))
        {
            return null;
        }

        // Each ends with a zero byte, and before them stand the runtime and the program.
        string[] given = Encoding.Latin1.GetString(File.ReadAllBytes(CommandLine)).Split('\0')[..^1];
        for (int index = 0; index < words.Length && given.Length >= words.Length; index++)
        {
            byte[] bytes = Encoding.Latin1.GetBytes(given[given.Length - words.Length + index]);
            if (words[index].Contains(Replacement, StringComparison.Ordinal) && !Utf8.IsValid(bytes))
            {
                return $"'{words[index]}' is no UTF-8: its bytes are {Convert.ToHexStringLower(bytes)}. Give the bytes of a key or a value in hexadecimal, as in hex:00ff.";
            }
        }

        return null;
    }
}
