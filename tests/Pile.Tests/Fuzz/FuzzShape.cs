using System;
using System.Diagnostics;
using System.Linq;
using System.Text;

namespace Pile.Tests.Fuzz;

/// <summary>Outcomes without what differs between two inputs of one kind: numbers and names in quotes.</summary>
internal static class FuzzShape
{
    private const int FramesMax = 3;
    private const int CharactersMax = 80;

    /// <summary>The shape of a failure: its type, what it says, and where it was thrown.</summary>
    internal static string Of(Exception failure)
    {
        StackFrame[] frames = new StackTrace(failure, fNeedFileInfo: false).GetFrames();
        return $"{failure.GetType().Name}: {Of(failure.Message)} at {string.Join(" < ", frames.Take(FramesMax).Select(static frame => NameOf(frame)))}";
    }

    /// <summary>The shape of a text.</summary>
    internal static string Of(string text)
    {
        var plain = new StringBuilder(text.Length);
        bool isQuoted = false;
        foreach (char one in text)
        {
            bool isNumber = char.IsAsciiDigit(one) || (one is >= 'A' and <= 'F');
            if (one == '\'')
            {
                isQuoted = !isQuoted;
            }
            else if (!isQuoted && !(isNumber && plain.Length > 0 && plain[^1] == '#'))
            {
                _ = plain.Append(isNumber ? '#' : char.IsAscii(one) ? one : '?');
            }

            if (plain.Length == CharactersMax)
            {
                break;
            }
        }

        return plain.ToString();
    }

    private static string NameOf(StackFrame frame) => frame.GetMethod() is { } method ? $"{method.DeclaringType?.Name}.{method.Name}" : "?";
}
