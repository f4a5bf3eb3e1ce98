// Names that clients and issuers chose, as messages and the log show them: no longer than a line, and on one.
// Who the name belongs to is told by the whole of it, never by this.
using System.Linq;

namespace Pile.Server.Calls;

/// <summary>A name to be shown.</summary>
internal static class ShownName
{
    /// <summary>The name, cut where it is long, not within a surrogate pair; a question mark for each char that would break a line.</summary>
    internal static string Of(string name)
    {
        int chars = int.Min(name.Length, ServerLimits.NameCharsShown);
        bool isWithinPair = chars < name.Length && char.IsSurrogatePair(name, chars - 1);
        string shown = string.Concat(name.Take(isWithinPair ? chars - 1 : chars).Select(static one => char.IsControl(one) || one is '\u2028' or '\u2029' ? '?' : one));
        return chars < name.Length ? shown + "..." : shown;
    }
}
