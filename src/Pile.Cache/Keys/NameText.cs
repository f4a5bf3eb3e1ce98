// Names that go into files: of tables and of comparers. They are stored as UTF-8, in which text with half of a surrogate pair alone
// would become another text: two names could be one there.
using System;
using System.Buffers;
using System.Text;
using Pile.Primitives;

namespace Pile.Cache.Keys;

/// <summary>What a name may be.</summary>
internal static class NameText
{
    /// <summary>Refuses a name that is empty, too long or no well-formed text.</summary>
    /// <param name="parameter">What the caller calls it.</param>
    /// <param name="what">Whose name it is, as a sentence begins.</param>
    /// <param name="name">The name.</param>
    /// <exception cref="ArgumentException">It is none.</exception>
    internal static void Require(string parameter, string what, string? name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name, parameter);
        if (name.Length > CacheLimits.NameCharsMax)
        {
            Throw.Argument(parameter, name.Length, $"{what} name has at most {CacheLimits.NameCharsMax} chars (NameCharsMax).");
        }

        for (int at = 0; at < name.Length;)
        {
            if (Rune.DecodeFromUtf16(name.AsSpan(at), out _, out int chars) != OperationStatus.Done)
            {
                Throw.Argument(parameter, (int)name[at], $"{what} name is well-formed text; char {at} of this one, U+{(int)name[at]:X4}, is half of a surrogate pair.");
            }

            at += chars;
        }
    }
}
