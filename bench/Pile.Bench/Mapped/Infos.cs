using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using Pile.Bench.Reports;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>The command <c>pile info</c> as a whole process, from its start to its end.</summary>
internal sealed class Infos : IWorkload
{
    private const double NsOfMs = 1e6;
    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private readonly string _program = Path.Combine(ResultFolder.Root(), "src", "Pile.Tool", "bin", "Release", "net10.0", "Pile.Tool.dll");

    internal Infos(BenchSettings settings)
    {
        _settings = settings;
        _place = Workplace.OnDisk(settings, "info");
        Rows =
        [
            new Row(
                "pile info, the whole process",
                $"{settings.Objects:N0} objects of 100 B, closed in order, files in the page cache: dotnet Pile.Tool.dll info, from the start of the process to its end. Ratio to 1 ms.",
                static samples => samples["info"],
                static _ => 1) { Must = 300, Reach = 120, Unit = "ms" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        if (!File.Exists(_program))
        {
            throw new NotAvailableException($"there is no {_program}: build the solution in Release");
        }

        MappedData.Fill(_place.Of("pile"), _settings.Objects, PilePromise.PowerSafe);
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", [_program, "info", _place.Of("pile"), "--json"])
        {
            RedirectStandardOutput = true,
        };
        Spent begun = Spent.Now();
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        double wall = (Spent.Now() - begun).WallNs;
        if (process.ExitCode != 0 || !output.Contains($"\"objects\": {_settings.Objects},", StringComparison.Ordinal))
        {
            throw new InvalidOperationException($"pile info ended with {process.ExitCode}: {output}");
        }

        samples.Keep("info", new Spent(wall, wall) / NsOfMs);
    }

    public void Dispose() => _place.Dispose();
}
