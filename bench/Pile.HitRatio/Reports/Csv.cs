using System;
using System.Globalization;
using System.Text;

namespace Pile.HitRatio.Reports;

/// <summary>The cells of a result, a line each. Where it was measured stands above, in lines that begin with #.</summary>
internal static class Csv
{
    internal const string Heads = "trace,cache_part,cache_bytes,charge_bytes,contestant,requests,hits,misses,miss_ratio,over_s3_fifo,over_lru,most_used_bytes";

    internal static string Of(HitRatioResult result)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"# {result.Machine}\n# {result.Command}\n# seed {result.Seed}\n{Heads}\n");
        foreach (CellResult cell in result.Cells)
        {
            text.Append(CultureInfo.InvariantCulture, $"{Quoted(cell.Trace)},{cell.Size},{cell.CacheBytes},{result.ChargeBytes},{cell.Contestant},{cell.Requests},{cell.Hits},{cell.Misses},")
                .Append(CultureInfo.InvariantCulture, $"{cell.MissRatio:0.000000},{cell.OverS3Fifo:0.000000},{cell.OverLru:0.000000},{cell.MostUsedBytes}\n");
        }

        return text.ToString();
    }

    private static string Quoted(string text) => text.AsSpan().IndexOfAny(",\"\n") >= 0 ? $"\"{text.Replace("\"", "\"\"")}\"" : text;
}
