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
    private const int NearBytes = 64 << 10;
    private readonly TemporaryDirectory _directory = new();
    private readonly List<(PilePointer Pointer, int Row, long Offset)> _objects = [];

    public LostExtentTests()
    {
        // Four objects to a segment leave a seventh of it: without room for that a Put would clean, and move what stood elsewhere before.
        using ObjectPile pile = ObjectPile.Open(Source, new PileOptions { DiskLimitBytes = 1 << 30, UsedOverLive = 2, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false });
        for (int index = 0; index < Objects; index++)
        {
            PilePointer pointer = pile.PutBytes(Content(index));
            long location = EntryWord.Location(pile.Core.Table.Read(pointer.Slot));
            long words = location & ((1L << Pile.Primitives.Limits.ExtentShiftWords) - 1);
            _objects.Add((pointer, (int)(location >> Pile.Primitives.Limits.ExtentShiftWords), words * Pile.Primitives.Limits.WordBytes));
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
    public void AStandInThatAKilledSalvageLeftIsNoObstacle()
    {
        File.Delete(Second);
        string left = Path.Combine(_directory.Path, ".target.salvage.00000002");
        File.WriteAllText(left, "of a process that was killed");
        _ = Run();
        RequireWithout(static row => row == 2);
        Assert.False(File.Exists(left));
    }

    [Fact]
    public void WhatStandsBeforeTheEndOfATruncatedExtentIsThere()
    {
        long end = new FileInfo(Second).Length / 2;
        using (FileStream file = File.OpenWrite(Second))
        {
            file.SetLength(end);
        }

        PileSalvageReport report = Run();
        Assert.Contains(report.Dropped, damage => damage.Path == Second && damage.What.Contains("truncated", StringComparison.Ordinal));
        using ObjectPile pile = Open();
        int lost = 0;
        for (int index = 0; index < Objects; index++)
        {
            (PilePointer pointer, int row, long offset) = _objects[index];
            bool isThere = pile.TryGet(pointer, out byte[]? bytes);
            Assert.True(!isThere || bytes.AsSpan().SequenceEqual(Content(index)));

            // The file begins with a header: where exactly the end cuts is nobody's business here.
            Assert.True(isThere || (row == 2 && offset + (2 * ObjectBytes) > end - NearBytes), $"object {index} at {offset} of extent {row} is lost, and the file ends at {end}");
            Assert.True(!isThere || row != 2 || offset < end + NearBytes, $"object {index} at {offset} is there, and the file ends at {end}");
            lost += isThere ? 0 : 1;
        }

        Assert.True(lost > 0, "nothing stood behind the end");
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
    public void ExtentsThatWereExchangedAreRefusedByTheirNames()
    {
        string first = Path.Combine(Source, "extents", "00000001");
        string third = Path.Combine(_directory.Path, "third");
        File.Move(first, third);
        File.Move(Second, first);
        File.Move(third, Second);
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(Run);
        Assert.Contains("the extent of '00000002'", refused.Message, StringComparison.Ordinal);

        File.Move(first, third);
        File.Move(Second, first);
        File.Move(third, Second);
        Assert.Empty(Run().Dropped);
        RequireWithout(static _ => false);
    }

    [Fact]
    public void AnExtentInThePlaceOfOneThatIsMissingIsRefusedByItsName()
    {
        File.Move(Path.Combine(Source, "extents", "00000003"), Second, overwrite: true);
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(Run);
        Assert.Contains("the extent of '00000003'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ACopyOfAnExtentInThePlaceOfAnotherIsOneThatIsLost()
    {
        File.Copy(Path.Combine(Source, "extents", "00000003"), Second, overwrite: true);
        Assert.Contains(Run().Dropped, damage => damage.Path == Second);
        RequireWithout(static row => row == 2);
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

    private ObjectPile Open()
    {
        ObjectPile pile = ObjectPile.Open(Target, new PileOptions { OpenMode = PileOpenMode.OpenExisting, DiskLimitBytes = 1 << 30 });
        Assert.Empty(pile.Verify().Findings);
        return pile;
    }
}
