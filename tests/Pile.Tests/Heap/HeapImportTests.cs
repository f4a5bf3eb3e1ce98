using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Memory;
using Pile.Tests.Durability;
using Pile.Tests.Golden;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>Imports that do not come to their end: cancelled, out of room, killed, cut off, with each call of the files failing. There
/// is a whole pile then, or none, and the directory takes the next import.</summary>
[Trait("Category", "Crash")]
public sealed class HeapImportTests(ITestOutputHelper output) : IDisposable
{
    private const string Copy = "/above/copy";
    private readonly TemporaryDirectory _directory = new();

    private static PileOptions Small => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, FlushInterval = TimeSpan.FromHours(1) };

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void KilledOrCutAtAnyCallThereIsAWholePileOrNoneAndTheDirectoryTakesTheNextImport()
    {
        const int Seed = 77;
        output.WriteLine($"seed {Seed}");
        var random = new Random(Seed);
        Sample sample = Sample.Make();
        int piles = 0;
        int refusals = 0;
        int at = 0;
        for (int calls = int.MaxValue; at < calls; at++)
        {
            using var files = new SimulatedFiles { SnapshotsAtCalls = true };
            List<SimulatedFiles> images = [];
            int call = 0;
            files.AtCall = _ =>
            {
                if (call++ == at)
                {
                    images.Add(files.Fork());
                    images.Add(files.PowerCut(random));
                }
            };
            using (ObjectPile pile = ExportSample.ToDirectory(sample.Export, Copy, Small with { Files = files }))
            {
                calls = int.Min(calls, call);
                files.AtCall = null;
                sample.Require(pile);

                // It has returned: it outlives every cut.
                images.Add(files.PowerCut(random));
                Assert.True(images[^1].Exists(Copy + "/pile.meta"));
            }

            foreach (SimulatedFiles image in images)
            {
                using (image)
                {
                    bool isPile = IsPile(image);
                    piles += isPile ? 1 : 0;
                    refusals += !isPile && IsRefused(image) ? 1 : 0;
                    if (!isPile)
                    {
                        ExportSample.ToDirectory(sample.Export, Copy, Small with { Files = image }).Dispose();
                    }

                    using ObjectPile found = ObjectPile.Open(Copy, Small with { Files = image, OpenMode = PileOpenMode.OpenExisting });
                    sample.Require(found);
                    RequireCommits(image, found);
                }
            }
        }

        output.WriteLine($"{at} calls, {piles} images of a pile, {refusals} refused as what is left of an import");
        Assert.True(piles > at && refusals > 10 && at > 40, $"{at} calls, {piles} piles, {refusals} refusals");
    }

    /// <summary>Requires that what the pile commits outlives a power cut that leaves nothing but what was synced.</summary>
    private static void RequireCommits(SimulatedFiles files, ObjectPile pile)
    {
        PilePointer later = pile.Put("later");
        pile.Commit();
        using SimulatedFiles cut = files.EnumerateCuts(int.MaxValue).First();
        using ObjectPile found = ObjectPile.Open(Copy, Small with { Files = cut, OpenMode = PileOpenMode.OpenExisting });
        Assert.Equal("later", found.Get<string>(later));
    }

    private static bool IsPile(SimulatedFiles files) => files.Exists("/above") && files.Exists(Copy) && files.Exists(Copy + "/pile.meta");

    /// <summary>Whether an open says that there is something, and that it is no pile; else there is nothing.</summary>
    private static bool IsRefused(SimulatedFiles files)
    {
        Exception? refused = Record.Exception(() => ObjectPile.Open(Copy, Small with { Files = files, OpenMode = PileOpenMode.ReadOnly }).Dispose());
        Assert.True(refused is PileFormatException or IOException, $"{refused}");
        return refused is PileFormatException;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhateverCallFailsThereIsAWholePileOrNoneAndTheDirectoryTakesTheNextImport(bool forEver)
    {
        Sample sample = Sample.Make();
        int failures = 0;
        bool isDone = false;
        for (int failing = 1; !isDone; failing++)
        {
            using var files = new SimulatedFiles();
            files.FailAt(failing, FileFailure.NoSpace, forEver);
            try
            {
                using ObjectPile pile = ExportSample.ToDirectory(sample.Export, Copy, Small with { Files = files });
                sample.Require(pile);
                isDone = files.Calls < failing;
                files.FailAt(int.MaxValue, FileFailure.NoSpace);
            }
            catch (Exception failure) when (failure is IOException or PileFullException or PilePoisonedException or UnauthorizedAccessException)
            {
                failures++;
                Assert.True(forEver || !IsPile(files), files.LastCall);
            }

            files.FailAt(int.MaxValue, FileFailure.NoSpace);
            if (!IsPile(files))
            {
                ExportSample.ToDirectory(sample.Export, Copy, Small with { Files = files }).Dispose();
            }

            using ObjectPile after = ObjectPile.Open(Copy, Small with { Files = files, OpenMode = PileOpenMode.OpenExisting });
            sample.Require(after);
            RequireCommits(files, after);
        }

        Assert.True(failures > 30, $"{failures} failures");
    }

    [Fact]
    public async Task AnImportThatIsCancelledLeavesNothingThatIsAPile()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { Codecs = GoldenContent.Options.Codecs });
        GoldenContent.Fill(pile);
        byte[] export = ExportSample.Export(pile);
        string target = Path.Combine(_directory.Path, "above", "copy");
        var all = new Telling(int.MaxValue, cancellation: null);
        PileImport.ToMemory(new MemoryStream(export), PileOptions.Tiny, all, TestContext.Current.CancellationToken).Dispose();
        Assert.InRange(all.Told, 4, 100);
        for (int reads = 1; reads <= all.Told; reads++)
        {
            using var cancellation = new CancellationTokenSource();
            var progress = new Telling(reads, cancellation);
            Assert.ThrowsAny<OperationCanceledException>(() => PileImport.ToMemory(new MemoryStream(export), PileOptions.Tiny, progress, cancellation.Token));
            using var again = new CancellationTokenSource();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => PileImport.ToDirectoryAsync(new MemoryStream(export), target, GoldenContent.Options, new Telling(reads, again), again.Token));
            Assert.Equal(["lock"], Directory.GetFiles(target, "*", SearchOption.AllDirectories).Select(Path.GetFileName));
        }

        using ObjectPile imported = await PileImport.ToDirectoryAsync(new MemoryStream(export), target, GoldenContent.Options, cancellationToken: TestContext.Current.CancellationToken);
        GoldenContent.Require(imported);
        using ObjectPile memory = await PileImport.ToMemoryAsync(new MemoryStream(export), PileOptions.Tiny with { Codecs = GoldenContent.Options.Codecs }, cancellationToken: TestContext.Current.CancellationToken);
        ExportSample.RequireSame(memory, imported);
    }

    [Fact]
    public void AStreamThatFailsEndsTheImportByItsOwnException()
    {
        Sample sample = Sample.Make();
        string target = Path.Combine(_directory.Path, "copy");
        for (int bytes = 0; bytes < sample.Export.Length; bytes += 1 + (sample.Export.Length / 50))
        {
            using var source = new Failing(sample.Export, bytes);
            Assert.Throws<EndOfStreamException>(() => PileImport.ToDirectory(source, target, Small, cancellationToken: TestContext.Current.CancellationToken));
            Assert.True(!Directory.Exists(target) || Directory.GetFiles(target, "*", SearchOption.AllDirectories).All(static path => Path.GetFileName(path) == "lock"));
        }
    }

    [Fact]
    public void WithoutRoomTheImportIsFullAndTheDirectoryIsEmptyAgain()
    {
        using ObjectPile pile = ObjectPile.Create(new PileOptions { MemoryLimitBytes = 64 << 20 });
        for (int index = 0; index < 5000; index++)
        {
            _ = pile.PutBytes(new byte[index % 100 == 0 ? 40_000 : 900]);
        }

        byte[] export = ExportSample.Export(pile);
        Assert.Throws<PileFullException>(() => ExportSample.ToMemory(export, PileOptions.Tiny with { MemoryLimitBytes = 4 << 20 }));
        string target = Path.Combine(_directory.Path, "copy");
        Assert.Throws<PileFullException>(() => ExportSample.ToDirectory(export, target, Small with { DiskLimitBytes = 4 << 20 }));
        Assert.Equal(["lock"], Directory.GetFiles(target, "*", SearchOption.AllDirectories).Select(Path.GetFileName));
        using ObjectPile imported = ExportSample.ToDirectory(export, target, Small with { DiskLimitBytes = 64 << 20 });
        ExportSample.RequireSame(pile, imported);
    }

    [Fact]
    public void ADirectoryThatHoldsSomethingIsRefusedAndLeftAsItIs()
    {
        Sample sample = Sample.Make();
        string target = Path.Combine(_directory.Path, "copy");
        Directory.CreateDirectory(target);
        File.WriteAllText(Path.Combine(target, "something"), "of somebody");
        Assert.Throws<PileFormatException>(() => ExportSample.ToDirectory(sample.Export, target, Small));
        Assert.Equal("something", Path.GetFileName(Assert.Single(Directory.GetFileSystemEntries(target))));
        File.Delete(Path.Combine(target, "something"));
        PilePointer kept;
        using (ObjectPile present = ObjectPile.Open(target, Small))
        {
            kept = present.Put("kept");
            IOException refused = Assert.ThrowsAny<IOException>(() => ExportSample.ToDirectory(sample.Export, target, Small));
            Assert.Contains("holds a pile already", refused.Message, StringComparison.Ordinal);
        }

        Assert.ThrowsAny<IOException>(() => ExportSample.ToDirectory(sample.Export, target, Small));
        using ObjectPile after = ObjectPile.Open(target, Small);
        Assert.Equal("kept", after.Get<string>(kept));
    }

    [Fact]
    public void WhatTheCallerCannotMeanIsRefusedBeforeAnythingIsMade()
    {
        Sample sample = Sample.Make();
        string target = Path.Combine(_directory.Path, "copy");
        Assert.Throws<ArgumentException>(() => ExportSample.ToDirectory(sample.Export, target, Small with { OpenMode = PileOpenMode.ReadOnly }));
        Assert.Throws<ArgumentException>(() => ExportSample.ToDirectory(sample.Export, target, PileOptions.Tiny));
        Assert.Throws<ArgumentException>(() => ExportSample.ToMemory(sample.Export, Small));
        Assert.Throws<ArgumentException>(() => ExportSample.ToDirectory(sample.Export, " ", Small));
        using var closed = new MemoryStream(sample.Export);
        closed.Dispose();
        Assert.Throws<ArgumentException>("source", () => PileImport.ToMemory(closed, cancellationToken: TestContext.Current.CancellationToken));
        Assert.False(Directory.Exists(target));
    }

    [Fact]
    public void ExportsInOneStreamAreImportedOneAfterTheOther()
    {
        using ObjectPile first = ObjectPile.Create(PileOptions.Tiny);
        using ObjectPile second = ObjectPile.Create(PileOptions.Tiny);
        PilePointer one = first.Put("one");
        PilePointer two = second.Put("two");
        using var stream = new MemoryStream();
        _ = first.Export(stream, cancellationToken: TestContext.Current.CancellationToken);
        _ = second.Export(stream, cancellationToken: TestContext.Current.CancellationToken);
        stream.Position = 0;
        using ObjectPile importedFirst = PileImport.ToMemory(stream, PileOptions.Tiny, cancellationToken: TestContext.Current.CancellationToken);
        using ObjectPile importedSecond = PileImport.ToMemory(stream, PileOptions.Tiny, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(("one", "two"), (importedFirst.Get<string>(one), importedSecond.Get<string>(two)));
        Assert.Equal(stream.Length, stream.Position);
    }

    /// <summary>An export of a pile that is open for reading, and whose table that open has built, names what was issued before a Clear.</summary>
    [Fact]
    public void APointerOfBeforeAClearStaysStaleThroughACopyThatIsReadAndExported()
    {
        using var files = new SimulatedFiles();
        List<PilePointer> stale = [];
        using (ObjectPile pile = ObjectPile.Open("/pile", Small with { Files = files }))
        {
            for (int index = 0; index < 1000; index++)
            {
                stale.Add(pile.Put(index));
            }

            pile.Clear();
            _ = pile.CopyTo("/backup", cancellationToken: TestContext.Current.CancellationToken);
        }

        byte[] export;
        using (ObjectPile backup = ObjectPile.Open("/backup", Small with { Files = files, OpenMode = PileOpenMode.ReadOnly }))
        {
            Assert.Equal(PileOpening.Crawled, backup.RecoveryReport().Opening);
            export = ExportSample.Export(backup);
        }

        using ObjectPile memory = ExportSample.ToMemory(export);
        using ObjectPile imported = ExportSample.ToDirectory(export, Path.Combine(_directory.Path, "copy"), Small);
        foreach (ObjectPile pile in (ObjectPile[])[memory, imported])
        {
            for (int index = 0; index < 2000; index++)
            {
                _ = pile.Put(-1);
            }

            Assert.All(stale, pointer => Assert.False(pile.TryGet(pointer, out int _)));
        }
    }

    [Fact]
    public void WhatAPowerCutMayHaveIssuedIsNotIssuedByTheImportedPile()
    {
        // The exported pile was recovered twice: slots of then that nobody knows any more begin above.
        using var files = new SimulatedFiles();
        var random = new Random(5);
        SimulatedFiles now = files;
        for (int cuts = 0; cuts < 2; cuts++)
        {
            using (ObjectPile pile = ObjectPile.Open("/pile", Small with { Files = now }))
            {
                _ = pile.Put(cuts);
                pile.Commit();
                _ = pile.Put("lost or not");
                now = now.PowerCut(random);
            }
        }

        using ObjectPile recovered = ObjectPile.Open("/pile", Small with { Files = now });
        Assert.Equal(2, recovered.RecoveryReport().Recoveries);
        byte[] export = ExportSample.Export(recovered);
        using ObjectPile memory = ExportSample.ToMemory(export);
        using ObjectPile imported = ExportSample.ToDirectory(export, Path.Combine(_directory.Path, "copy"), Small);
        foreach (ObjectPile pile in (ObjectPile[])[recovered, memory, imported])
        {
            for (int index = 0; index < 1000; index++)
            {
                Assert.True(pile.Put(index).Generation >= 3);
            }

            Assert.Empty(pile.Verify().Findings);
        }

    }

    private sealed class Telling(int until, CancellationTokenSource? cancellation) : IProgress<PileTransferProgress>
    {
        internal int Told { get; private set; }

        public void Report(PileTransferProgress value)
        {
            Assert.InRange(value.Objects, 0, value.TotalObjects);
            if (++Told == until)
            {
                cancellation?.Cancel();
            }
        }
    }

    /// <summary>A stream that fails behind some bytes.</summary>
    private sealed class Failing(byte[] bytes, int until) : MemoryStream(bytes)
    {
        public override int Read(Span<byte> buffer) => Position >= until
            ? throw new EndOfStreamException("the test wants it so")
            : base.Read(buffer[..int.Min(buffer.Length, until - (int)Position)]);
    }

    /// <summary>A pile of a bit of everything, small.</summary>
    private sealed record Sample(byte[] Export, PilePointer Small, PilePointer Large, PilePointer Person, PilePointer Deleted)
    {
        internal static Sample Make()
        {
            using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny);
            PilePointer small = pile.Put("small");
            PilePointer large = pile.PutBytes(Bytes);
            PilePointer person = pile.Put(new GoldenTypes.Person { Name = "Ada" });
            PilePointer deleted = pile.Put("deleted");
            Assert.True(pile.Delete(deleted));
            pile.Roots.Set("person", person);
            return new Sample(ExportSample.Export(pile), small, large, person, deleted);
        }

        internal void Require(ObjectPile pile)
        {
            Assert.Equal("small", pile.Get<string>(Small));
            Assert.Equal(Bytes, pile.Get<byte[]>(Large));
            Assert.Equal("Ada", pile.Get<GoldenTypes.Person>(Person).Name);
            Assert.False(pile.TryLease(Deleted, out _, out PileStatus status));
            Assert.Equal(PileStatus.Stale, status);
            Assert.True(pile.Roots.TryGet("person", out PilePointer root) && root == Person && pile.Roots.Count == 1);
            Assert.Equal(3, pile.GetStatistics().Objects);
            Assert.Empty(pile.Verify().Findings);
        }

        private static byte[] Bytes => [.. Enumerable.Range(0, 50_000).Select(static index => (byte)(index / 97))];
    }
}
