using System;
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class PileDirectoryTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APileIsCreatedOnceAndFoundAgain(bool real)
    {
        using var store = new StoreSample(real);
        using (PileDirectory directory = store.Open())
        {
            Assert.True(directory.WasCreated);
            Assert.False(directory.IsReadOnly);
            Assert.Null(directory.MetaDamage);
            Assert.Equal(StoreSample.Created with { Sequence = 1 }, directory.Meta);
            Assert.Empty(directory.Extents);
            directory.WriteMeta(static meta => meta with { LossAcceptedCount = 3 });
        }

        foreach (PileOpenMode mode in (PileOpenMode[])[PileOpenMode.OpenOrCreate, PileOpenMode.OpenExisting, PileOpenMode.ReadOnly])
        {
            using PileDirectory directory = store.Open(mode);
            Assert.False(directory.WasCreated);
            Assert.Equal(mode == PileOpenMode.ReadOnly, directory.IsReadOnly);
            Assert.Equal(StoreSample.Created with { Sequence = 2, LossAcceptedCount = 3 }, directory.Meta);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ExtentsAreFoundAgainInRowOrderWithTheirRowsAndData(bool real)
    {
        using var store = new StoreSample(real);
        store.CreateThreeExtents();

        using PileDirectory directory = store.Open();
        Assert.Equal(6, directory.Meta.ExtentRows);
        Assert.Equal(3, directory.Extents.Count);
        (int Row, int Rows, ExtentKind Kind)[] expected = [(1, 1, ExtentKind.Segments), (2, 3, ExtentKind.Large), (5, 1, ExtentKind.Segments)];
        for (int index = 0; index < 3; index++)
        {
            ExtentFile extent = directory.Extents[index];
            Assert.Equal(expected[index], (extent.Header.FirstRow, extent.Header.Rows, extent.Header.Kind));
            Assert.Equal((StoreSample.Identity, null), (extent.Header.Identity, extent.Damage));
            Assert.Equal(ExtentMap.FirstLocation(extent.Header.FirstRow), extent.FirstLocation);
            Assert.EndsWith($"0000000{extent.Header.FirstRow}", extent.Path, StringComparison.Ordinal);
            if (extent.Header.Kind == ExtentKind.Segments)
            {
                Assert.True(SegmentRow.TryParse(extent.ReadRow(0), StoreSample.Identity, extent.FirstLocation, out SegmentRow row));
                Assert.Equal(new SegmentRow(extent.Header.FirstRow, SegmentRowState.Open), row);
                Assert.Equal(0UL, extent.ReadRow(1));
            }
            else
            {
                Assert.Throws<InvalidOperationException>(() => extent.ReadRow(0));
            }
        }
    }

    [Fact]
    public void FilesAndDirectoriesAreTheirOwnersAlone()
    {
        using var store = new StoreSample(real: true);
        store.CreateThreeExtents();

        const UnixFileMode OwnFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        const UnixFileMode OwnDirectory = OwnFile | UnixFileMode.UserExecute;
        foreach (string path in store.Everything().Keys)
        {
            Assert.Equal(Directory.Exists(path) ? OwnDirectory : OwnFile, new FileInfo(path).UnixFileMode);
        }
    }

    [Theory]
    [InlineData(PileOpenMode.OpenExisting)]
    [InlineData(PileOpenMode.ReadOnly)]
    public void WhereThereIsNoPileNoneIsMadeUnlessAskedFor(PileOpenMode mode)
    {
        foreach (bool real in (bool[])[false, true])
        {
            using var store = new StoreSample(real);
            DirectoryNotFoundException missing = Assert.Throws<DirectoryNotFoundException>(() => store.Open(mode));
            Assert.Contains(store.Path, missing.Message, StringComparison.Ordinal);
            DirectoryCreation.CreateDirectories(store.Files, store.Path);
            FileNotFoundException empty = Assert.Throws<FileNotFoundException>(() => store.Open(mode));
            Assert.Contains(store.Path, empty.Message, StringComparison.Ordinal);
            Assert.Empty(store.Files.List(store.Path));
        }
    }

    [Fact]
    public void CreateNewRefusesAPileAndLeavesItAlone()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        SortedDictionary<string, string> before = store.Everything();

        IOException failure = Assert.Throws<IOException>(() => store.Open(PileOpenMode.CreateNew));

        Assert.Contains("holds a pile already", failure.Message, StringComparison.Ordinal);
        Assert.Equal(before, store.Everything());
    }

    [Theory]
    [InlineData("letter.txt")]
    [InlineData("table.1")]
    [InlineData("extents/00000001")]
    public void ADirectoryWithFilesButWithoutMetaIsNeverTakenForEmpty(string name)
    {
        using var store = new StoreSample();
        DirectoryCreation.CreateDirectories(store.Files, store.Path);
        store.Files.CreateDirectory(store.In("extents"));
        store.Write(store.In(name), 0, [1, 2, 3]);
        SortedDictionary<string, string> before = store.Everything();

        foreach (PileOpenMode mode in Enum.GetValues<PileOpenMode>())
        {
            PileFormatException failure = Assert.Throws<PileFormatException>(() => store.Open(mode));
            Assert.Equal((PileStatus.Format, store.Path), (failure.Status, failure.Path));
            Assert.Contains($"'{name.Split('/')[0]}'", failure.Message, StringComparison.Ordinal);
            Assert.Equal(before, store.Everything());
        }
    }

    [Fact]
    public void APileWhoseMetaIsLostIsNotTakenForEmpty()
    {
        using var store = new StoreSample();
        store.CreateThreeExtents();
        store.Files.Delete(store.In(StoreNames.Meta));
        SortedDictionary<string, string> before = store.Everything();

        Assert.Throws<PileFormatException>(() => store.Open());
        Assert.Equal(before, store.Everything());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ReadingChangesNothing(bool real)
    {
        using var store = new StoreSample(real);
        store.CreateThreeExtents();
        using (PileDirectory directory = store.Open())
        {
            // What a kill leaves: an extent that is not counted.
            directory.CreateExtent(6, 1, ExtentKind.Segments, 64 << 10).Dispose();
        }

        store.Flip(store.In(StoreNames.Meta), 100);
        store.Flip(store.In("extents", "00000001"), 100);
        SortedDictionary<string, string> before = store.Everything();
        using (PileDirectory first = store.Open(PileOpenMode.ReadOnly))
        {
            using PileDirectory second = store.Open(PileOpenMode.ReadOnly);
            Assert.Equal((3, 3), (first.Extents.Count, second.Extents.Count));
            Assert.NotNull(first.MetaDamage);
            Assert.NotNull(first.Extents[0].Damage);
            Assert.NotEqual(0UL, second.Extents[0].ReadRow(0));
        }

        Assert.Equal(before, store.Everything());
    }

    [Fact]
    public void AnEmptyPathIsRefused()
    {
        using var store = new StoreSample();
        foreach (string path in (string[])["", " ", "a\0b"])
        {
            Assert.ThrowsAny<ArgumentException>(() => PileDirectory.Open(store.Files, RegionProvider.Default, path, default, StoreSample.Created));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APathThatIsNoDirectoryIsRefused(bool real)
    {
        using var store = new StoreSample(real);
        DirectoryCreation.CreateDirectories(store.Files, Path.GetDirectoryName(store.Path)!);
        store.Write(store.Path, 0, [1]);
        SortedDictionary<string, string> before = store.Everything();

        IOException failure = Assert.Throws<IOException>(() => store.Open());
        Assert.Contains("A pile is a directory", failure.Message, StringComparison.Ordinal);
        failure = Assert.Throws<IOException>(() => PileDirectory.Open(store.Files, RegionProvider.Default, store.In("below"), default, StoreSample.Created));
        Assert.Contains("A pile is a directory", failure.Message, StringComparison.Ordinal);
        Assert.Equal(before, store.Everything());
    }

    [Fact]
    public void ADirectoryThatMayNotBeWrittenIsRefused()
    {
        // Nobody, not even root, may create a directory there.
        UnauthorizedAccessException failure = Assert.Throws<UnauthorizedAccessException>(
            () => PileDirectory.Open(FileProvider.Default, RegionProvider.Default, "/sys/pile-of-a-test", PileOpenMode.OpenOrCreate, StoreSample.Created));
        Assert.Contains("/sys/pile-of-a-test", failure.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists("/sys/pile-of-a-test"));
    }

    [Fact]
    public void AFingerprintIsTheSameUntilAFileIsAnother()
    {
        using var store = new StoreSample(real: true);
        store.CreateThreeExtents();
        ulong before = FingerprintNow(store);
        Assert.Equal(before, FingerprintNow(store));

        store.Copy(store.In("extents", "00000005"), store.In("copy"));
        store.Files.Rename(store.In("copy"), store.In("extents", "00000005"));
        ulong copied = FingerprintNow(store);
        Assert.NotEqual(before, copied);

        using PileDirectory directory = store.Open();
        using StoreFile table = directory.CreateTable(1, 4096);
        ulong withTable = directory.FingerprintOf(table);
        StoreSample.Add(directory, 1, ExtentKind.Large);
        Assert.NotEqual(withTable, copied);
        Assert.NotEqual(copied, directory.FingerprintOf(null));
    }

    [Fact]
    public void FreeSpaceIsThatOfTheDevice()
    {
        using var store = new StoreSample(real: true);
        using PileDirectory directory = store.Open();

        Assert.InRange(directory.FreeBytes(), 1, new DriveInfo(store.Path).TotalSize);
    }

    private static ulong FingerprintNow(StoreSample store)
    {
        using PileDirectory directory = store.Open();
        return directory.FingerprintOf(null);
    }
}
