using System;
using System.Collections.Generic;
using System.IO;
using Pile.Tests.Golden;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>What tests of exports do alike.</summary>
internal static class ExportSample
{
    /// <summary>Exports a pile.</summary>
    internal static byte[] Export(ObjectPile pile)
    {
        using var target = new MemoryStream();
        PileExportReport report = pile.Export(target, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(target.Length, report.Bytes);
        Assert.Equal(pile.GetStatistics().Objects, report.Objects);
        Assert.Equal(pile.Roots.Count, report.Roots);
        return target.ToArray();
    }

    /// <summary>Imports into memory.</summary>
    internal static ObjectPile ToMemory(byte[] export, PileOptions? options = null)
    {
        using var source = new MemoryStream(export);
        ObjectPile pile = PileImport.ToMemory(source, options ?? PileOptions.Tiny with { Codecs = GoldenContent.Options.Codecs }, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(export.Length, source.Position);
        return pile;
    }

    /// <summary>Imports into a directory.</summary>
    internal static ObjectPile ToDirectory(byte[] export, string directory, PileOptions? options = null)
    {
        using var source = new MemoryStream(export);
        return PileImport.ToDirectory(source, directory, options ?? GoldenContent.Options, cancellationToken: TestContext.Current.CancellationToken);
    }

    /// <summary>Requires that two piles hold the same objects, byte by byte, under the same pointers, and the same roots.</summary>
    internal static void RequireSame(ObjectPile expected, ObjectPile actual)
    {
        Assert.Equal(Contents(expected), Contents(actual));
        Assert.Equal(Roots(expected), Roots(actual));
        Assert.Equal(expected.GetStatistics().Objects, actual.GetStatistics().Objects);
        Assert.Empty(actual.Verify().Findings);
    }

    private static List<(PilePointer Pointer, PileKind Kind, string Bytes)> Contents(ObjectPile pile)
    {
        List<(PilePointer, PileKind, string)> contents = [];
        foreach (PileItem item in pile.Enumerate())
        {
            using PileLease lease = pile.Lease(item.Pointer);

            // What large objects are described by differs; their kind and bytes do not.
            contents.Add((item.Pointer, lease.Kind, Convert.ToHexString(lease.Bytes)));
        }

        return contents;
    }

    private static List<(string Name, PilePointer Pointer)> Roots(ObjectPile pile)
    {
        List<(string, PilePointer)> roots = [];
        foreach (string name in pile.Roots.Names)
        {
            Assert.True(pile.Roots.TryGet(name, out PilePointer pointer));
            roots.Add((name, pointer));
        }

        return roots;
    }
}
