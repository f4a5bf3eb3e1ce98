// Where a pile's bytes are, as a picture: one cell a segment (or a few, of a large pile), the oldest first, by how much of it lives;
// and how many segments are how full. Blocks on a terminal, letters elsewhere.
using System.Collections.Generic;

namespace Pile.Tool.Output;

/// <summary>Draws segments.</summary>
internal static class SegmentPicture
{
    private const int CellsMax = 1024;
    private const int ColumnsMax = 64;
    private const int Steps = 10;
    private const string Letters = "0123456789";
    private const string Blocks = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2587\u2588";

    /// <summary>Draws the cells, and the bars below.</summary>
    /// <param name="text">Where to.</param>
    /// <param name="segments">The segments, in any order.</param>
    /// <param name="hasBlocks">Whether blocks can be shown.</param>
    internal static void Write(TextOutput text, IReadOnlyList<PileSegment> segments, bool hasBlocks)
    {
        List<PileSegment> used = [];
        foreach (PileSegment segment in segments)
        {
            if (segment.State is PileSegmentState.Open or PileSegmentState.Sealed)
            {
                used.Add(segment);
            }
        }

        used.Sort(static (one, other) => one.Sequence.CompareTo(other.Sequence));
        int ofCell = ((used.Count - 1) / CellsMax) + 1;
        text.Line($"segments, oldest first, by what lives of their size ({(hasBlocks ? "empty to full" : "0: up to 10 %, 9: above 90 %")}{(ofCell > 1 ? $"; {ofCell} a cell" : "")})");
        string marks = hasBlocks ? Blocks : Letters;
        int columns = int.Min(ColumnsMax, text.Width - 2);
        int[] bars = new int[Steps];
        List<char> line = [];
        for (int index = 0; index < used.Count; index += ofCell)
        {
            long live = 0;
            long bytes = 0;
            for (int part = index; part < int.Min(used.Count, index + ofCell); part++)
            {
                live += used[part].LiveBytes;
                bytes += used[part].Bytes;
                bars[StepOf(used[part].LiveBytes, used[part].Bytes)]++;
            }

            line.Add(marks[StepOf(live, bytes)]);
            if (line.Count == columns || index + ofCell >= used.Count)
            {
                text.Cut($"  {string.Concat(line)}");
                line.Clear();
            }
        }

        WriteBars(text, bars, hasBlocks);
    }

    private static void WriteBars(TextOutput text, int[] bars, bool hasBlocks)
    {
        int most = 1;
        int last = 1;
        foreach (int bar in bars)
        {
            most = int.Max(most, bar);
        }

        string number = Amount.Count(most);
        last = int.Max(last, int.Min(ColumnsMax, text.Width) - "  90-100 %  ".Length - number.Length - 2);
        for (int step = Steps - 1; step >= 0; step--)
        {
            int length = bars[step] == 0 ? 0 : int.Max(1, (int)((long)bars[step] * last / most));
            text.Cut($"  {step * Steps,2}-{(step + 1) * Steps,3} %  {Amount.Count(bars[step]).PadLeft(number.Length)} {new string(hasBlocks ? '\u2588' : '#', length)}".TrimEnd());
        }
    }

    private static int StepOf(long live, long bytes) => (int)long.Clamp(live * Steps / long.Max(bytes, 1), 0, Steps - 1);
}
