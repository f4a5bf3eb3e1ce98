using System.Collections.Generic;
using System.IO;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>Export and import of a pile of persons, against the codec alone writing and reading the same persons.</summary>
internal sealed class ExportOverCodec : IWorkload
{
    private readonly Workplace _tmpfs = Workplace.InMemory("export");
    private readonly Workplace _disk;
    private readonly ObjectPile _memory = ObjectPile.Create();
    private readonly ObjectPile _files;
    private readonly BareCodec _codec = new();
    private readonly Person[] _persons;
    private readonly byte[][] _stored;
    private readonly FreshContender[] _contenders;
    private readonly byte[] _export;
    private ObjectPile? _imported;

    internal ExportOverCodec(BenchSettings settings)
    {
        int objects = settings.Quick ? 20_000 : 400_000;
        _disk = Workplace.OnDisk(settings, "export");
        _files = ObjectPile.Open(_tmpfs.Of("source"));
        _persons = new Person[objects];
        _stored = new byte[objects][];
        for (int index = 0; index < objects; index++)
        {
            _persons[index] = Made.Person(index);
            _stored[index] = _codec.ToArray(_persons[index]);
            _ = _memory.Put(_persons[index]);
            _ = _files.Put(_persons[index]);
        }

        using var export = new MemoryStream();
        _ = _memory.Export(export);
        _export = export.ToArray();
        _contenders =
        [
            new("export", objects, static () => { }, () => _memory.Export(Stream.Null).Objects),
            new("export-files", objects, static () => { }, () => _files.Export(Stream.Null).Objects),
            new("write", objects, static () => { }, Write),
            new("import", objects, Drop, () => Keep(PileImport.ToMemory(new MemoryStream(_export)))),
            new("import-files", objects, Drop, () => Keep(PileImport.ToDirectory(new MemoryStream(_export), _tmpfs.Of("imported")))),
            new("import-disk", objects, Drop, () => Keep(PileImport.ToDirectory(new MemoryStream(_export), _disk.Of("imported")))),
            new("read", objects, static () => { }, Read),
        ];
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Faster("Export of a pile in memory vs the bare codec", "export", "write", 0.5, 0.8,
            "400,000 Persons, to a stream that takes everything. Theirs: the same Persons into the codec's reused buffer."),
        Row.Faster("Export of a pile in files vs the bare codec", "export-files", "write", 0.5, 0.8,
            "The same of a PowerSafe pile on tmpfs: every object is verified. Theirs: as above."),
        Row.Faster("Import into memory vs the bare codec", "import", "read", 0.5, 0.8,
            "The same Persons from a stream in memory into a new pile. Theirs: reading them from 400,000 arrays."),
        Row.Faster("Import into files on tmpfs vs the bare codec", "import-files", "read", 0.5, 0.8,
            "The same into a new PowerSafe pile. Theirs: as above."),
        Row.Faster("Import into files on the disk vs the bare codec", "import-disk", "read", null, null,
            "The same, durable when it returns: the disk's syncs and page faults are in it. Theirs: as above, in memory."),
    ];

    public void Prepare() => FreshPasses.Warm(_contenders);

    public void Round(Samples samples) => FreshPasses.Interleave(samples, _contenders, turns: 2);

    public void Dispose()
    {
        Drop();
        _memory.Dispose();
        _files.Dispose();
        _codec.Dispose();
        _tmpfs.Dispose();
        _disk.Dispose();
    }

    private void Drop()
    {
        _imported?.Dispose();
        _imported = null;
        foreach (string imported in (string[])[_tmpfs.Of("imported"), _disk.Of("imported")])
        {
            if (Directory.Exists(imported))
            {
                Directory.Delete(imported, recursive: true);
            }
        }
    }

    private long Keep(ObjectPile imported)
    {
        _imported = imported;
        return imported.GetStatistics().Objects;
    }

    private long Write()
    {
        long bytes = 0;
        foreach (Person person in _persons)
        {
            bytes += _codec.Write(person);
        }

        return bytes;
    }

    private long Read()
    {
        long sum = 0;
        foreach (byte[] payload in _stored)
        {
            sum += _codec.Read<Person>(payload).Level;
        }

        return sum;
    }
}
