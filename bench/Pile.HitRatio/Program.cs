using System;
using System.Globalization;
using System.IO;
using Pile.Bench.Reports;
using Pile.HitRatio;
using Pile.HitRatio.Reports;
using Pile.HitRatio.Running;

return CommandLine.Build(Run).Parse(args).Invoke();

static int Run(HitRatioSettings settings)
{
    var face = new Face(settings.Json);
    face.Say(string.Create(CultureInfo.InvariantCulture, $"{Machine.Here(TimeProvider.System)}\nseed {settings.Seed}, {settings.ChargeBytesUsed} B charged for each object beyond key and value"));
    if (settings.Traces.Count > 0)
    {
        face.Say(string.Create(CultureInfo.InvariantCulture, $"generated traces: {settings.Requests:#,0} requests over {settings.Keys:#,0} keys"));
    }

    face.Say();
    HitRatioResult result = new HitRatioRun(settings, face).Run();
    face.Say();
    face.Show(Grid.Heads(result), Grid.Rows(result));
    face.Say();
    face.Say("Miss ratio, and in brackets its ratio to exact S3-FIFO's.");
    if (settings.Out is not null || settings.IsWhole)
    {
        string place = settings.Out is { } folder ? Path.Combine(folder, "hit-ratio") : ResultFolder.PathOf(result.Machine, "hit-ratio");
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(place))!);
        foreach ((string ending, string text) in new[] { ("json", result.ToJson() + "\n"), ("csv", Csv.Of(result)), ("md", Markdown.Of(result)), ("svg", Picture.Of(result)) })
        {
            string path = $"{place}.{ending}";
            File.WriteAllText(path, text);
            face.Say($"wrote {path}");
        }
    }
    else
    {
        face.Say("Nothing was written: --out DIR writes a result that is not the whole one.");
    }

    if (settings.Json)
    {
        Console.WriteLine(result.ToJson());
    }

    return 0;
}
