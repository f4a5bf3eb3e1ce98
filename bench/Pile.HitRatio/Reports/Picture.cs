using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using PackageGraph.Reporting;

namespace Pile.HitRatio.Reports;

/// <summary>A result as one image: a panel for each size of the cache, in it a bar of the miss ratio for each trace and contestant.</summary>
internal static class Picture
{
    private const double Margin = 24;
    private const double LabelWidth = 110;
    private const double PanelWidth = 330;
    private const double PanelGap = 24;
    private const double Top = 92;
    private const double BarHeight = 9;
    private const double GroupGap = 12;
    private const double TextRoom = 46;
    private const int NameLettersMax = 16;
    private const int CommandLettersMax = 130;
    private const string Grey = "#66717d";
    private static readonly string[] _colours = ["#1f6fb2", "#c2571a", "#1f7a4d", "#7a4fa3", "#b3932f", "#a33a5b", "#4f6d7a", "#3a3f47"];

    internal static string Of(HitRatioResult result)
    {
        double[] sizes = [.. result.Cells.Select(static cell => cell.Size).Distinct()];
        double groupHeight = (result.Contestants.Count * BarHeight) + GroupGap;
        double width = Margin + LabelWidth + (sizes.Length * (PanelWidth + PanelGap)) - PanelGap + Margin;
        double height = Top + (result.Traces.Count * groupHeight) + 44;
        var canvas = new SvgCanvas(width, height);
        canvas.Text(Margin, 32, "Miss ratios: shorter is better", size: 17, bold: true);
        double x = Margin;
        for (int index = 0; index < result.Contestants.Count; index++)
        {
            canvas.Rectangle(x, 46, 11, 11, Colour(index));
            canvas.Text(x + 16, 56, result.Contestants[index].Name, size: 12);
            x += 40 + (result.Contestants[index].Name.Length * 7);
        }

        for (int row = 0; row < result.Traces.Count; row++)
        {
            canvas.Text(Margin, Top + (row * groupHeight) + (groupHeight / 2), Cut(result.Traces[row].Name, NameLettersMax), size: 12);
        }

        for (int panel = 0; panel < sizes.Length; panel++)
        {
            double left = Margin + LabelWidth + (panel * (PanelWidth + PanelGap));
            canvas.Text(left, Top - 12, $"cache: {Grid.Percent(sizes[panel])} of the bytes", size: 12, bold: true);
            ILookup<string, CellResult> cells = result.Cells.Where(cell => cell.Size == sizes[panel]).ToLookup(static cell => cell.Trace);
            for (int row = 0; row < result.Traces.Count; row++)
            {
                Bars(canvas, left, Top + (row * groupHeight), result.Contestants, cells[result.Traces[row].Name]);
            }
        }

        canvas.Text(Margin, height - 26, $"{result.Machine.Cpu}, {result.Machine.Cores} cores, {result.Machine.Runtime}, {result.Machine.Date}, seed {result.Seed}", size: 10, fill: Grey);
        canvas.Text(Margin, height - 12, Cut(result.Command, CommandLettersMax), size: 10, fill: Grey);
        return canvas.ToSvg("Miss ratios of cache algorithms");
    }

    private static void Bars(SvgCanvas canvas, double left, double top, IReadOnlyList<ContestantResult> contestants, IEnumerable<CellResult> cells)
    {
        Dictionary<string, CellResult> byName = cells.ToDictionary(static cell => cell.Contestant);
        for (int index = 0; index < contestants.Count; index++)
        {
            double ratio = byName[contestants[index].Name].MissRatio;
            double length = ratio * (PanelWidth - TextRoom);
            double y = top + (index * BarHeight);
            canvas.Rectangle(left, y, length, BarHeight - 2, Colour(index), radius: 1);
            canvas.Text(left + length + 5, y + BarHeight - 2, ratio.ToString("0.0000", CultureInfo.InvariantCulture), size: 9, fill: Grey);
        }
    }

    private static string Cut(string text, int lettersMax) => text.Length <= lettersMax ? text : $"{text.AsSpan(0, lettersMax - 3)}...";

    private static string Colour(int index) => _colours[index % _colours.Length];
}
