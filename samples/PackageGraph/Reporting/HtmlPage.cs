using System.Globalization;
using System.Net;
using System.Text;

namespace PackageGraph.Reporting;

/// <summary>The result as one page that needs nothing else: charts inside it, readable on a phone.</summary>
internal static class HtmlPage
{
    private const string Style = """
        :root{color-scheme:light dark}
        body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;margin:0 auto;max-width:800px;padding:16px;background:#f3f5f7;color:#1c2530}
        h1{font-size:1.5rem;line-height:1.2}h2{font-size:1.1rem;margin-top:2rem}
        svg{width:100%;max-width:560px;height:auto;display:block;margin:12px 0}
        .wide{overflow-x:auto}table{border-collapse:collapse;width:100%;background:#fff;color:#1c2530;border-radius:10px}
        th,td{padding:8px 10px;text-align:right;border-bottom:1px solid #dfe4ea;white-space:nowrap}
        th:first-child,td:first-child{text-align:left;white-space:normal}
        .o{color:#c2571a}.p{color:#1f6fb2}small,code{color:#66717d;overflow-wrap:anywhere}
        @media (max-width:480px){body{padding:10px}th,td{padding:6px;font-size:.85rem}}
        @media (prefers-color-scheme:dark){body{background:#14191f;color:#e6ebf0}}
        """;

    internal static string Of(GraphResult result)
    {
        var page = new StringBuilder();
        page.Append(CultureInfo.InvariantCulture, $"""
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Pile: the package graph</title>
            <style>
            {Style}
            </style>
            </head>
            <body>
            <h1>The package graph: <span class="o">.NET objects</span> and <span class="p">Pile</span></h1>
            <p>{Text(Summary.Sentence(result))}</p>
            <h2>Pauses</h2>
            {Picture.Pauses(result)}{Picture.Jitter(result)}
            """);
        if (result.LivePile is { } live)
        {
            page.Append(CultureInfo.InvariantCulture, $"""
                <h2>Rewritten while it is walked</h2>
                <p>One thread lets edges change places, another walks the {live.NodesPerWalk:#,0} packages that one package needs.
                Torn nodes seen: {live.TornNodes}. Walks that missed a node: {live.WrongWalks}.</p>
                {Picture.Live(result)}
                """);
        }

        page.Append(CultureInfo.InvariantCulture, $"<h2>Memory</h2>\n{Picture.Memory(result)}<h2>Side by side</h2>\n<div class=\"wide\"><table>\n<tr><th>figure</th><th class=\"o\">objects</th><th class=\"p\">pile</th><th>objects / pile</th></tr>\n");
        foreach (SummaryRow row in Summary.Rows(result))
        {
            page.Append(CultureInfo.InvariantCulture, $"<tr><td>{Text(row.Name)}</td><td>{Text(row.Objects)}</td><td>{Text(row.Pile)}</td><td>{Text(row.Times)}</td></tr>\n");
        }

        string why = result.Why.Count == 0 ? "no way" : string.Join(" \u2192 ", result.Why);
        page.Append(CultureInfo.InvariantCulture, $"""
            </table></div>
            <h2>Why does it depend on that?</h2>
            <p>{Text(why)}</p>
            <p><small>{Text(result.Machine.ToString())}. {Figure.Of(result.Seconds)} s in all. <code>{Text(result.Command)}</code><br>
            The figures of each form were taken while it was alone in the process; reads and walks in turn over both. "Longest stop" is
            what a thread that sleeps a millisecond at a time felt, other programs included; "GC pause" is the runtime's own clock.
            Above 1 in the last column the pile does better, except in counts.</small></p>
            </body>
            </html>

            """);
        return page.ToString();
    }

    private static string Text(string text) => WebUtility.HtmlEncode(text);
}
