using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Faults;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class DirectoryLockTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASecondOpenInTheSameProcessIsRefusedByItsOwnId(bool real)
    {
        using var store = new StoreSample(real);
        using (store.Open())
        {
            foreach (PileOpenMode mode in (PileOpenMode[])[PileOpenMode.OpenOrCreate, PileOpenMode.OpenExisting, PileOpenMode.ReadOnly])
            {
                PileLockedException failure = Assert.Throws<PileLockedException>(() => store.Open(mode));
                Assert.Equal((PileStatus.Locked, store.Path, Environment.ProcessId), (failure.Status, failure.Path, failure.OwnerProcessId));
                Assert.EndsWith(
                    $"in this process ({Environment.ProcessId}). Use that pile, or dispose it first; one that was only forgotten stays open until the process ends.", failure.Message, StringComparison.Ordinal);
            }
        }

        store.Open().Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ADirectoryThatIsOpenIsOpenedByNobodyElseThoughItsLockWasRemoved(bool real)
    {
        using var store = new StoreSample(real);
        using (store.Open())
        {
            store.Files.Delete(store.In("lock"));
            foreach (PileOpenMode mode in (PileOpenMode[])[PileOpenMode.OpenOrCreate, PileOpenMode.OpenExisting, PileOpenMode.ReadOnly])
            {
                PileLockedException failure = Assert.Throws<PileLockedException>(() => store.Open(mode));
                Assert.Equal((PileStatus.Locked, store.Path, 0), (failure.Status, failure.Path, failure.OwnerProcessId));
                Assert.Contains("'lock' was removed", failure.Message, StringComparison.Ordinal);
            }
        }

        using (store.Open(PileOpenMode.ReadOnly))
        {
            store.Files.Delete(store.In("lock"));
            Assert.Throws<PileLockedException>(() => store.Open());
        }

        store.Open().Dispose();
    }

    [Fact]
    public void AnotherSpellingAndASymbolicLinkAreTheSameDirectory()
    {
        using var store = new StoreSample(real: true);
        using PileDirectory directory = store.Open();
        string link = store.Path + "-link";
        File.CreateSymbolicLink(link, store.Path);
        foreach (string path in (string[])[store.Path + "/", store.In("..", "pile"), store.In("extents", ".."), link, Path.GetRelativePath(Environment.CurrentDirectory, store.Path)])
        {
            PileLockedException failure = Assert.Throws<PileLockedException>(
                () => PileDirectory.Open(store.Files, RegionProvider.Default, path, PileOpenMode.OpenExisting, StoreSample.Created));
            Assert.Equal(Environment.ProcessId, failure.OwnerProcessId);
        }
    }

    [Fact]
    public void TwoDirectoriesAreOpenAtOnce()
    {
        using var one = new StoreSample(real: true);
        using var other = new StoreSample(real: true);
        using PileDirectory first = one.Open();
        using PileDirectory second = other.Open();
        Assert.NotEqual(first.FullPath, second.FullPath);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ReadersShareAndKeepWritersOut(bool real)
    {
        using var store = new StoreSample(real);
        store.Open().Dispose();
        using (store.Open(PileOpenMode.ReadOnly))
        {
            using (store.Open(PileOpenMode.ReadOnly))
            {
                PileLockedException failure = Assert.Throws<PileLockedException>(() => store.Open());
                Assert.Equal(0, failure.OwnerProcessId);
                Assert.Contains("read", failure.Message, StringComparison.Ordinal);
            }

            Assert.Throws<PileLockedException>(() => store.Open());
        }

        store.Open().Dispose();
    }

    [Fact]
    public void AnotherProcessIsRefusedByOurId()
    {
        using var store = new StoreSample(real: true);
        using PileDirectory directory = store.Open();
        foreach (PileOpenMode mode in (PileOpenMode[])[PileOpenMode.OpenOrCreate, PileOpenMode.ReadOnly])
        {
            using Process child = FaultProgram.Start("", "hold", store.Path, $"{mode}");
            Assert.Equal($"refused {Environment.ProcessId.ToString(CultureInfo.InvariantCulture)}", child.StandardOutput.ReadLine());
            child.WaitForExit();
        }
    }

    [Fact]
    public void AnotherProcessIsNamedUntilItEndsOrIsKilled()
    {
        using var store = new StoreSample(real: true);
        store.Open().Dispose();
        foreach (bool kills in (bool[])[false, true])
        {
            using Process child = FaultProgram.Start("", "hold", store.Path, "OpenOrCreate");
            try
            {
                Assert.Equal("held", child.StandardOutput.ReadLine());
                PileLockedException failure = Assert.Throws<PileLockedException>(() => store.Open());
                Assert.Equal(child.Id, failure.OwnerProcessId);
                Assert.Contains($"process {child.Id}", failure.Message, StringComparison.Ordinal);
                Assert.Throws<PileLockedException>(() => store.Open(PileOpenMode.ReadOnly));
            }
            finally
            {
                if (kills)
                {
                    child.Kill();
                }

                child.StandardInput.Close();
                child.WaitForExit();
            }

            // After the kill its id is still in the file; readers hold the lock, and nobody is named.
            using (store.Open(PileOpenMode.ReadOnly))
            {
                Assert.Equal(0, Assert.Throws<PileLockedException>(() => store.Open()).OwnerProcessId);
            }

            store.Open().Dispose();
        }
    }

    [Fact]
    public void AReaderOfAnotherProcessKeepsWritersOutAndReadersNot()
    {
        using var store = new StoreSample(real: true);
        store.Open().Dispose();
        using Process child = FaultProgram.Start("", "hold", store.Path, "ReadOnly");
        try
        {
            Assert.Equal("held", child.StandardOutput.ReadLine());
            Assert.Equal(0, Assert.Throws<PileLockedException>(() => store.Open()).OwnerProcessId);
            store.Open(PileOpenMode.ReadOnly).Dispose();
        }
        finally
        {
            child.StandardInput.Close();
            child.WaitForExit();
        }

        store.Open().Dispose();
    }
}
