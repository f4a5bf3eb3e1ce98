// Options that are one of a few words: how one is read, in small or capital letters, and what is said of another.
// A number is none of them, although it could stand for one in an enum.
using System;
using System.CommandLine.Parsing;
using System.Linq;

namespace Pile.Tool.Running;

/// <summary>Choices in words.</summary>
internal static class ChoiceText
{
    /// <summary>Reads a word of an option; nothing where it is another.</summary>
    internal static Func<ArgumentResult, T?> Parse<T>(string name)
        where T : struct, Enum => result =>
        {
            string text = result.Tokens is [var token] ? token.Value : "";
            string[] words = Enum.GetNames<T>();
            if (words.FirstOrDefault(word => word.Equals(text, StringComparison.OrdinalIgnoreCase)) is { } known)
            {
                return Enum.Parse<T>(known);
            }

            result.AddError($"{name} must be one of {string.Join(", ", words[..^1])} or {words[^1]}, not '{text}'.");
            return null;
        };

    /// <summary>Reads a word of an option that has one unless it is given.</summary>
    internal static Func<ArgumentResult, T> ParseOr<T>(string name, T otherwise)
        where T : struct, Enum
    {
        Func<ArgumentResult, T?> parse = Parse<T>(name);
        return result => parse(result) ?? otherwise;
    }
}
