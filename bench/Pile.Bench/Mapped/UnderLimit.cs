using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>A pile twice as large as the memory that its process may have: filled and read by a child in a control group of its own.</summary>
internal sealed class UnderLimit : IWorkload
{
    private const long LimitBytesMin = 128 << 20;
    private readonly BenchSettings _settings;
    private readonly MemoryGroup _group;
    private readonly Workplace _place;
    private readonly long _limitBytes;

    internal UnderLimit(BenchSettings settings)
    {
        _settings = settings;
        _limitBytes = long.Max(LimitBytesMin, settings.Objects * (long)LimitedRun.ObjectBytes / 2);
        _group = new MemoryGroup(_limitBytes);
        _place = Workplace.OnDisk(settings, "limit");
        Rows =
        [
            Row.Slower("a pile under half its size of memory: objects read wrongly or missing", "wrong", "one", 0, null,
                $"{settings.Objects:N0} objects of 1 KiB put by a child whose control group may have {_limitBytes >> 20} MiB ({_group.LimitFile}), then {LimitedRun.Samples:N0} of them read at random. A child that is killed ends the run. Ratio to 1.") with { Unit = "objects" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
    }

    public void Round(Samples samples)
    {
        string directory = _place.Of("pile");
        using (var child = new Child(AppContext.BaseDirectory, directory, MappedChild.Limited, _settings.Objects.ToString(CultureInfo.InvariantCulture)))
        {
            _group.Add(child.Id);
            child.Go();
            double wrong = double.Parse(child.Next()[0], CultureInfo.InvariantCulture);
            samples.Keep("wrong", new Spent(wrong, wrong));
            samples.Keep("one", new Spent(1, 1));
            child.Close();
        }

        Directory.Delete(directory, recursive: true);
    }

    public void Dispose()
    {
        _group.Dispose();
        _place.Dispose();
    }
}
