// Bytes in words of the command line: text as it is, hex:00ff for any bytes, json:"a\nb" for text with escapes, text:hex:1 for text that
// begins as one of these. What is written reads back as the same bytes.
using System;
using System.Text;
using System.Text.Json;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Entries;

/// <summary>Words for bytes.</summary>
internal static class Words
{
    internal const string Hex = "hex:";
    internal const string Json = "json:";
    internal const string Plain = "text:";

    private static readonly string[] _prefixes = [Hex, Json, Plain];
    private static readonly UTF8Encoding _strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The bytes of words.</summary>
    /// <exception cref="ToolException">They are no words of their form.</exception>
    internal static byte[] ToBytes(string words) => TryHex(words, out byte[] bytes) ? bytes : Utf8(words, TextOf(words));

    /// <summary>The text of words that are not hexadecimal.</summary>
    /// <exception cref="ToolException">They are no words of their form.</exception>
    internal static string TextOf(string words) =>
        words.StartsWith(Plain, StringComparison.Ordinal) ? words[Plain.Length..]
        : words.StartsWith(Json, StringComparison.Ordinal) ? FromJson(words)
        : words;

    /// <summary>Whether words are bytes in hexadecimal.</summary>
    /// <exception cref="ToolException">They begin so, and are not.</exception>
    internal static bool TryHex(string words, out byte[] bytes)
    {
        bytes = [];
        if (!words.StartsWith(Hex, StringComparison.Ordinal))
        {
            return false;
        }

        try
        {
            bytes = Convert.FromHexString(words.AsSpan(Hex.Length));
            return true;
        }
        catch (FormatException)
        {
            throw new ToolException(ExitCode.Usage, $"'{words}' is no bytes: behind '{Hex}' stand pairs of hexadecimal digits, as in hex:00ff. Put '{Plain}' before it if it is text.");
        }
    }

    /// <summary>Words for bytes: text where they are text, else hexadecimal.</summary>
    internal static string Of(ReadOnlySpan<byte> bytes) => Utf8Text(bytes) is { } text ? Of(text) : Hex + Convert.ToHexStringLower(bytes);

    /// <summary>Words for text.</summary>
    internal static string Of(string text)
    {
        foreach (char letter in text)
        {
            if (char.IsControl(letter))
            {
                return Json + JsonText.Of(text);
            }
        }

        return Array.Exists(_prefixes, prefix => text.StartsWith(prefix, StringComparison.Ordinal)) ? Plain + text : text;
    }

    /// <summary>Text that bytes read as, without control characters; null where they do not.</summary>
    internal static string? TryText(ReadOnlySpan<byte> bytes) => EntryValue.IsText(bytes) ? Encoding.UTF8.GetString(bytes) : null;

    private static string? Utf8Text(ReadOnlySpan<byte> bytes) => bytes.Length > 0 && System.Text.Unicode.Utf8.IsValid(bytes) && bytes.IndexOf((byte)0) < 0 ? Encoding.UTF8.GetString(bytes) : null;

    private static byte[] Utf8(string words, string text)
    {
        try
        {
            return _strict.GetBytes(text);
        }
        catch (EncoderFallbackException)
        {
            throw new ToolException(ExitCode.Usage, $"'{words}' is no well-formed text. Give its bytes: hex:00ff.");
        }
    }

    private static string FromJson(string words)
    {
        try
        {
            return JsonText.Read(words[Json.Length..]);
        }
        catch (JsonException failure)
        {
            throw new ToolException(ExitCode.Usage, $"'{words}' is no text: behind '{Json}' stands a JSON string, as in json:\"a\\nb\". {failure.Message}");
        }
        catch (InvalidOperationException)
        {
            // What the reader throws for a half of a surrogate pair, and for nothing else of a string.
            throw new ToolException(ExitCode.Usage, $"'{words}' is no well-formed text: half of a surrogate pair stands in it. Give its bytes: hex:00ff.");
        }
    }
}
