using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Text;

namespace PackageGraph.Reporting;

/// <summary>Writes SVG by hand: rectangles, lines and text, all that the charts need. Text is escaped.</summary>
internal sealed class SvgCanvas
{
    private const string Font = "system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";
    private readonly StringBuilder _body = new();
    private readonly double _width;
    private readonly double _height;

    internal SvgCanvas(double width, double height)
    {
        _width = width;
        _height = height;
        Rectangle(0, 0, width, height, "#ffffff", radius: 10);
    }

    internal void Rectangle(double x, double y, double width, double height, string fill, double radius = 2) =>
        Append($"<rect x=\"{x:0.#}\" y=\"{y:0.#}\" width=\"{width:0.#}\" height=\"{height:0.#}\" rx=\"{radius:0.#}\" fill=\"{fill}\"/>");

    internal void Line(double x1, double y1, double x2, double y2, string stroke) =>
        Append($"<line x1=\"{x1:0.#}\" y1=\"{y1:0.#}\" x2=\"{x2:0.#}\" y2=\"{y2:0.#}\" stroke=\"{stroke}\"/>");

    internal void Polyline(IEnumerable<(double X, double Y)> points, string stroke)
    {
        string list = string.Join(' ', points.Select(point => string.Create(CultureInfo.InvariantCulture, $"{point.X:0.#},{point.Y:0.#}")));
        Append($"<polyline points=\"{list}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>");
    }

    /// <summary>Text at a point; the anchor is start, middle or end.</summary>
    internal void Text(double x, double y, string text, double size = 13, string fill = "#1c2530", string anchor = "start", bool bold = false) =>
        Append($"<text x=\"{x:0.#}\" y=\"{y:0.#}\" font-size=\"{size:0.#}\" fill=\"{fill}\" text-anchor=\"{anchor}\"{(bold ? " font-weight=\"600\"" : "")}>{WebUtility.HtmlEncode(text)}</text>");

    /// <summary>The whole image; it scales to the width it is given.</summary>
    internal string ToSvg(string title) => string.Create(
        CultureInfo.InvariantCulture,
        $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {_width:0.#} {_height:0.#}\" role=\"img\" font-family=\"{Font}\">\n<title>{WebUtility.HtmlEncode(title)}</title>\n{_body}</svg>\n");

    private void Append(FormattableString element) => _body.Append(element.ToString(CultureInfo.InvariantCulture)).Append('\n');
}
