using System;
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;

namespace Pile.Tests.Persistence;

/// <summary>A place for a pile's directory, on the machine's own files or on simulated ones, and what tests do to the files in it.</summary>
internal sealed class StoreSample : IDisposable
{
    internal const ulong Identity = 0xABCD_0123_4567_89EF;
    private readonly string? _real;

    internal StoreSample(bool real = false)
    {
        _real = real ? Directory.CreateTempSubdirectory("pile-store-").FullName : null;
        Files = real ? FileProvider.Default : new SimulatedFiles();
    }

    internal FileProvider Files { get; set; }

    internal SimulatedFiles Simulated => (SimulatedFiles)Files;

    /// <summary>The directory of the pile. It does not exist in the beginning; nor does the one above it.</summary>
    internal string Path => _real is null ? "/above/pile" : System.IO.Path.Combine(_real, "above", "pile");

    /// <summary>The meta of a pile that is created.</summary>
    internal static MetaSlot Created => new() { Identity = Identity, Tag = 177, Promise = 2, CreatedUtcTicks = 5, BatchBytesMax = 1 << 20 };

    internal PileDirectory Open(PileOpenMode mode = PileOpenMode.OpenOrCreate) => Open(Files, mode);

    internal PileDirectory Open(FileProvider files, PileOpenMode mode = PileOpenMode.OpenOrCreate)
    {
        var directory = PileDirectory.Open(files, RegionProvider.Default, Path, mode, Created);
        ExtentFiles.MapRows(directory, RegionProvider.Default);
        return directory;
    }

    /// <summary>Creates a pile of two extents of segments with one of large objects between them, whose rows and data hold something.</summary>
    internal void CreateThreeExtents()
    {
        using PileDirectory directory = Open(PileOpenMode.CreateNew);
        Add(directory, 1, ExtentKind.Segments);
        Add(directory, 3, ExtentKind.Large);
        Add(directory, 1, ExtentKind.Segments);
    }

    /// <summary>Adds an extent, counted in meta, with something in its first row and at its data's beginning.</summary>
    internal static ExtentFile Add(PileDirectory directory, int rows, ExtentKind kind)
    {
        int row = directory.Meta.ExtentRows;
        ExtentFile extent = directory.CreateExtent(row, rows, kind, kind == ExtentKind.Segments ? Limits.SegmentBytesMin : 0);
        directory.WriteMeta(meta => meta with { ExtentRows = row + rows });
        if (kind == ExtentKind.Segments)
        {
            extent.WriteRow(0, SegmentRow.Pack(row, SegmentRowState.Open, Identity, extent.FirstLocation));
        }

        return extent;
    }

    internal string In(params string[] names) => System.IO.Path.Combine([Path, .. names]);

    internal byte[] Bytes(string path)
    {
        using StoreFile file = Files.Open(path, FileOpening.ReadOnly);
        byte[] bytes = new byte[long.Min(file.Bytes, 1 << 20)];
        file.Read(0, bytes);
        return bytes;
    }

    /// <summary>Changes a byte.</summary>
    internal void Flip(string path, long offset)
    {
        using StoreFile file = Files.Open(path, FileOpening.OpenExisting);
        byte[] one = new byte[1];
        file.Read(offset, one);
        one[0] ^= 0x10;
        file.Write(offset, one);
    }

    internal void Write(string path, long offset, byte[] bytes)
    {
        using StoreFile file = Files.Exists(path) ? Files.Open(path, FileOpening.OpenExisting) : Files.Open(path, FileOpening.CreateNew);
        file.Write(offset, bytes);
    }

    /// <summary>Gives a file another length.</summary>
    internal void Resize(string path, long bytes)
    {
        using StoreFile file = Files.Open(path, FileOpening.OpenExisting);
        file.SetBytes(bytes);
    }

    /// <summary>Copies the beginning of a file and its length, over one that may be there.</summary>
    internal void Copy(string source, string target)
    {
        byte[] bytes = Bytes(source);
        if (Files.Exists(target))
        {
            Files.Delete(target);
        }

        Write(target, 0, bytes);
        using StoreFile file = Files.Open(source, FileOpening.ReadOnly);
        Resize(target, file.Bytes);
    }

    /// <summary>Everything that is below the place: names, lengths and the first bytes of files.</summary>
    internal SortedDictionary<string, string> Everything()
    {
        SortedDictionary<string, string> everything = new(StringComparer.Ordinal);
        string above = System.IO.Path.GetDirectoryName(Path)!;
        if (Files.Exists(above))
        {
            Collect(above, everything);
        }

        return everything;
    }

    public void Dispose()
    {
        (Files as SimulatedFiles)?.Dispose();
        if (_real is not null)
        {
            Directory.Delete(_real, recursive: true);
        }
    }

    private void Collect(string path, SortedDictionary<string, string> everything)
    {
        IReadOnlyList<string> names;
        try
        {
            names = Files.List(path);
        }
        catch (FileCallException failure) when (failure.Failure == FileFailure.WrongKind)
        {
            using StoreFile file = Files.Open(path, FileOpening.ReadOnly);
            everything.Add(path, $"{file.Bytes} {Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(Bytes(path)))}");
            return;
        }

        everything.Add(path, string.Empty);
        foreach (string name in names)
        {
            Collect(System.IO.Path.Combine(path, name), everything);
        }
    }
}
