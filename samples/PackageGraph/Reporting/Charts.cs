using System;
using System.Collections.Generic;
using System.Linq;

namespace PackageGraph.Reporting;

/// <summary>The two kinds of chart: two bars beside each other's name, and two lines over time on a logarithmic scale.</summary>
internal static class Charts
{
    internal const string ObjectsColor = "#c2571a";
    internal const string PileColor = "#1f6fb2";
    private const string Grey = "#66717d";
    private const string Grid = "#dfe4ea";
    private const double LabelWidth = 62;
    private const double BarHeight = 24;
    private const double LeastMs = 0.01;

    /// <summary>A figure of both forms as two bars; zero is at the left, the longer bar fills the width.</summary>
    internal static void Bars(SvgCanvas canvas, double x, double y, double width, string title, double heap, double pile, Func<double, string> text)
    {
        canvas.Text(x, y + 14, title, bold: true);
        double room = width - LabelWidth - 80;
        double top = y + 26;
        foreach ((string name, double value, string color) in new[] { ("objects", heap, ObjectsColor), ("Pile", pile, PileColor) })
        {
            double length = double.Max(1.5, room * value / double.Max(double.Max(heap, pile), double.Epsilon));
            canvas.Text(x, top + 17, name, fill: Grey);
            canvas.Rectangle(x + LabelWidth, top, length, BarHeight, color);
            canvas.Text(x + LabelWidth + length + 6, top + 17, text(value), bold: true);
            top += BarHeight + 8;
        }
    }

    /// <summary>Height that <see cref="Bars"/> takes.</summary>
    internal const double BarsHeight = 26 + (2 * (BarHeight + 8)) + 6;

    /// <summary>Milliseconds over time, both forms, a decade a grid line.</summary>
    internal static void Lines(SvgCanvas canvas, double x, double y, double width, double height, string title, IReadOnlyList<double> heap, IReadOnlyList<double> pile, double seconds)
    {
        canvas.Text(x, y + 14, title, bold: true);
        canvas.Text(x + LabelWidth, y + 34, "objects", fill: ObjectsColor, bold: true);
        canvas.Text(x + LabelWidth + 66, y + 34, "Pile", fill: PileColor, bold: true);
        double top = y + 46;
        double bottom = y + height - 20;
        double left = x + LabelWidth;
        double most = heap.Concat(pile).Append(1).Max();
        int lowest = (int)Math.Log10(LeastMs);
        int highest = (int)Math.Ceiling(Math.Log10(most));
        double Level(double value) => bottom - ((bottom - top) * (Math.Log10(double.Max(value, LeastMs)) - lowest) / (highest - lowest));
        for (int decade = lowest; decade <= highest; decade++)
        {
            double level = Level(Math.Pow(10, decade));
            canvas.Line(left, level, x + width, level, Grid);
            canvas.Text(left - 6, level + 4, Decade(decade), size: 11, fill: Grey, anchor: "end");
        }

        static string Decade(int power) => power >= 3 ? $"{Math.Pow(10, power - 3):0} s" : power >= 0 ? $"{Math.Pow(10, power):0} ms" : $"{Math.Pow(10, power + 3):0} us";
        IEnumerable<(double X, double Y)> Points(IReadOnlyList<double> values) =>
            values.Select((value, index) => (left + ((x + width - left) * index / double.Max(values.Count - 1, 1)), Level(value)));
        canvas.Polyline(Points(heap), ObjectsColor);
        canvas.Polyline(Points(pile), PileColor);
        canvas.Text(left, y + height - 4, "0", size: 11, fill: Grey);
        canvas.Text(x + width, y + height - 4, $"{Figure.Of(seconds)} s", size: 11, fill: Grey, anchor: "end");
    }
}
