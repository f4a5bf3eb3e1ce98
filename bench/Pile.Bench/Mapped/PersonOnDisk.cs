using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.Bench.Graphs;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>What a person takes on the device beyond its payload: by the pile's own count, by the files' space, by what the process had
/// the system write.</summary>
internal sealed class PersonOnDisk : IWorkload
{
    private readonly Workplace _place;
    private readonly int _objects;

    internal PersonOnDisk(BenchSettings settings)
    {
        _place = Workplace.OnDisk(settings, "person");
        _objects = settings.Objects;
        string what = $"{_objects:N0} persons of the codec's rows, PowerSafe, put and closed; payload bytes taken off.";
        Rows =
        [
            One("a Person on disk beyond its payload, written", "written", 40, 34, $"{what} AppendedBytes, and the table's bytes: records with their headers, markers, entries."),
            One("the same, space of the files", "space", null, null, "as du counts them after the close: segments opened and not full included, checkpoint and checksums too."),
            One("the same, write_bytes of /proc/self/io", "io", null, null, "pages that the system wrote from the first Put until the close: one that changes after a flush is written again."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
    }

    public void Round(Samples samples)
    {
        string directory = _place.Of("pile");
        long payload = 0;
        long written;
        Workplace.Settle();
        long io = WriteBytes();
        using (ObjectPile pile = ObjectPile.Open(directory, new PileOptions { Promise = PilePromise.PowerSafe }))
        {
            for (int index = 0; index < _objects; index++)
            {
                using PileLease lease = pile.Lease(pile.Put(Made.Person(index)));
                payload += lease.Bytes.Length;
            }

            PileStatistics statistics = pile.GetStatistics();
            written = statistics.AppendedBytes + (statistics.SlotsIssued * sizeof(long));
        }

        Keep("written", written - payload);
        Keep("space", Space(directory) - payload);
        Keep("io", WriteBytes() - io - payload);
        Keep("one", _objects);
        Directory.Delete(directory, recursive: true);

        void Keep(string series, long bytes) => samples.Keep(series, new Spent(bytes, bytes) / _objects);
    }

    public void Dispose() => _place.Dispose();

    private static long WriteBytes()
    {
        const string Name = "write_bytes: ";
        string line = File.ReadLines("/proc/self/io").First(line => line.StartsWith(Name, StringComparison.Ordinal));
        return long.Parse(line[Name.Length..], CultureInfo.InvariantCulture);
    }

    private static long Space(string directory)
    {
        using Process process = Process.Start(new ProcessStartInfo("du", ["-s", "-B1", directory]) { RedirectStandardOutput = true })!;
        string text = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return long.Parse(text.Split('\t')[0], CultureInfo.InvariantCulture);
    }

    private static Row One(string name, string series, double? must, double? reach, string definition) =>
        Row.Slower(name, series, "one", must, reach, definition + " Ratio to 1 B.") with { Unit = "B" };
}
