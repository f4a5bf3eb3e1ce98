using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using PackageGraph.Reporting;

namespace WarmRestart;

/// <summary>The availability of the data over the time since each process began, as SVG.</summary>
internal static class Picture
{
    private const double Width = 860;
    private const double Left = 60;
    private const double Right = 230;
    private const double Top = 56;
    private const double Height = 220;
    private const int Ticks = 5;
    private static readonly string[] _colours = ["#1f7a4d", "#2f6fb3", "#b3542f"];

    internal static string Of(RestartResult result)
    {
        var canvas = new SvgCanvas(Width, Top + Height + 60);
        double end = result.Restarts.Max(static restart => restart.FirstReadMs) * 1.1;
        double X(double ms) => Left + (ms / end * (Width - Left - Right));
        static double Y(double part) => Top + ((1 - part) * Height);
        canvas.Text(Left, 30, string.Create(CultureInfo.InvariantCulture, $"What can be read after a restart: {result.Packages:N0} packages"), size: 16, bold: true);
        for (int tick = 0; tick <= Ticks; tick++)
        {
            double ms = end * tick / Ticks;
            canvas.Line(X(ms), Top, X(ms), Top + Height, "#e4e8ee");
            canvas.Text(X(ms), Top + Height + 20, string.Create(CultureInfo.InvariantCulture, $"{ms:N0} ms"), size: 12, anchor: "middle");
            canvas.Text(Left - 8, Y(tick / (double)Ticks) + 4, string.Create(CultureInfo.InvariantCulture, $"{100 * tick / Ticks} %"), size: 12, anchor: "end");
        }

        canvas.Text(Left, Top + Height + 44, "time since the process began", size: 12);
        for (int index = 0; index < result.Restarts.Count; index++)
        {
            Restart restart = result.Restarts[index];
            string colour = _colours[index % _colours.Length];
            IEnumerable<Moment> moments = restart.Availability.Append(new Moment(end, 1));
            canvas.Polyline(moments.Select(moment => (X(moment.Ms), Y(moment.Part))), colour);
            canvas.Text(Width - Right + 12, Top + 16 + (index * 40), restart.Way, fill: colour, bold: true);
            canvas.Text(Width - Right + 12, Top + 33 + (index * 40), string.Create(CultureInfo.InvariantCulture, $"first read after {restart.FirstReadMs:N0} ms"), size: 12);
        }

        return canvas.ToSvg("Availability after a restart");
    }
}
