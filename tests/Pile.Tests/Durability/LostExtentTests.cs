using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Format;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Salvage of a pile of three extents of segments, one of which is not what it was.</summary>
public sealed class LostExtentTests : IDisposable
{
    private const int Objects = 11_000;
    private const int ObjectBytes = 14_000;
    private readonly TemporaryDirectory _directory = new();
    private readonly List<(PilePointer Pointer, int Row)> _objects = [];

    public LostExtentTests()
    {
        using ObjectPile pile = ObjectPile.Open(Source, new PileOptions { DiskLimitBytes = 1 << 30, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false });
        for (int index = 0; index < Objects; index++)
        {
            PilePointer pointer = pile.PutBytes(Content(index));
            _objects.Add((pointer, (int)(EntryWord.Location(pile.Core.Table.Read(pointer.Slot)) >> Pile.Primitives.Limits.ExtentShiftWords)));
        }
    }

    private string Source => Path.Combine(_directory.Path, "source");

    private string Target => Path.Combine(_directory.Path, "target");

    private string Second => Path.Combine(Source, "extents", "00000002");

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void WhatTheOtherExtentsHoldIsThereWhenOneIsMissing()
    {
        File.Delete(Second);
        PileSalvageReport report = Run();
        Assert.Contains(report.Dropped, damage => damage.Path == Second && damage.What.Contains("missing", StringComparison.Ordinal));
        RequireWithout(static row => row == 2);
        Assert.False(File.Exists(Second));
    }

    [Fact]
    public void WhatStandsBeforeTheEndOfATruncatedExtentIsThere()
    {
        using (FileStream file = File.OpenWrite(Second))
        {
            file.SetLength(file.Length / 2);
        }

        PileSalvageReport report = Run();
        Assert.Contains(report.Dropped, damage => damage.Path == Second && damage.What.Contains("truncated", StringComparison.Ordinal));
        int lost = RequireSome();
        int inSecond = _objects.Count(static item => item.Row == 2);
        // Where segments end, and so what stands in the half that is left, differs from run to run.
        Assert.InRange(lost, inSecond * 3 / 8, inSecond * 5 / 8);
    }

    [Theory]
    [InlineData(20, 12_288 + 20)]
    [InlineData(0, 12_288)]
    public void AnExtentWithoutAHeaderIsFoundByItsSegments(int first, int second)
    {
        using (FileStream file = File.Open(Second, FileMode.Open))
        {
            foreach (int offset in (int[])[first, second])
            {
                file.Position = offset;
                file.Write(new byte[40]);
            }
        }

        PileSalvageReport report = Run();
        Assert.Contains(report.Dropped, damage => damage.Path == Second && damage.What.Contains("header", StringComparison.Ordinal));
        RequireWithout(static _ => false);
    }

    [Fact]
    public void WithoutAnyExtentItIsRefused()
    {
        foreach (string file in Directory.GetFiles(Path.Combine(Source, "extents")))
        {
            File.Delete(file);
        }

        Assert.Throws<PileCorruptedException>(() => Run());
        Assert.False(Directory.Exists(Target));
    }

    private static byte[] Content(int index)
    {
        byte[] bytes = new byte[ObjectBytes];
        new Random(index).NextBytes(bytes);
        return bytes;
    }

    private PileSalvageReport Run()
    {
        PileSalvageReport report = PileSalvage.Run(Source, Target, cancellationToken: CancellationToken.None);
        Assert.Equal(["source", "target"], Directory.GetFileSystemEntries(_directory.Path).Select(Path.GetFileName).Order());
        return report;
    }

    private void RequireWithout(Func<int, bool> isLost)
    {
        using ObjectPile pile = Open();
        for (int index = 0; index < Objects; index++)
        {
            bool isThere = pile.TryGet(_objects[index].Pointer, out byte[]? bytes);
            Assert.Equal(!isLost(_objects[index].Row), isThere);
            Assert.True(!isThere || bytes.AsSpan().SequenceEqual(Content(index)));
        }
    }

    private int RequireSome()
    {
        using ObjectPile pile = Open();
        int lost = 0;
        for (int index = 0; index < Objects; index++)
        {
            bool isThere = pile.TryGet(_objects[index].Pointer, out byte[]? bytes);
            Assert.True(isThere || _objects[index].Row == 2);
            Assert.True(!isThere || bytes.AsSpan().SequenceEqual(Content(index)));
            lost += isThere ? 0 : 1;
        }

        return lost;
    }

    private ObjectPile Open()
    {
        ObjectPile pile = ObjectPile.Open(Target, new PileOptions { OpenMode = PileOpenMode.OpenExisting, DiskLimitBytes = 1 << 30 });
        Assert.Empty(pile.Verify().Findings);
        return pile;
    }
}
