using System.Collections.Generic;

namespace Pile.Tests.Durability.Cuts;

/// <summary>What was done in a life up to one moment, for the message of a failure that its seed may not bring back: which cuts are taken follows calls
/// of the files, which other threads make too. What was before is shared with the lives that branch off.</summary>
internal sealed class CutPast(CutPast? before, string what)
{
    private const int LinesMax = 400;

    /// <summary>The newest of a past, oldest first.</summary>
    internal static string TextOf(CutPast? past)
    {
        var lines = new Stack<string>();
        for (; past is not null && lines.Count < LinesMax; past = past.Before)
        {
            lines.Push(past.What);
        }

        return string.Join("\n", lines);
    }

    private CutPast? Before => before;

    private string What => what;
}
