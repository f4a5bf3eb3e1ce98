// A value as a command line gives it: words, or the bytes of a file.
// What it becomes is said by the type of the table's values.
using Pile.Tool.Running;

namespace Pile.Tool.Entries;

/// <summary>A value to store.</summary>
/// <param name="Words">Its words; null where it is a file's.</param>
/// <param name="File">The bytes of a file; null where it is words.</param>
internal sealed record ValueWords(string? Words, byte[]? File)
{
    /// <summary>As bytes.</summary>
    internal byte[] ToBytes() => File ?? Entries.Words.ToBytes(Words!);

    /// <summary>As text.</summary>
    /// <exception cref="ToolException">It is none.</exception>
    internal string ToText()
    {
        if (File is null && !Entries.Words.TryHex(Words!, out _))
        {
            return Entries.Words.TextOf(Words!);
        }

        byte[] bytes = ToBytes();
        return System.Text.Unicode.Utf8.IsValid(bytes) ? System.Text.Encoding.UTF8.GetString(bytes)
            : throw new ToolException(ExitCode.Usage, "The table's values are text, and these bytes are no UTF-8. Convert the file first.");
    }
}
