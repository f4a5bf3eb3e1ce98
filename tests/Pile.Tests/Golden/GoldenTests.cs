using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Format;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Golden;

/// <summary>Directories that earlier versions have written, and that are opened for ever: closed in order, left by a kill, cleared,
/// recovered, of both promises.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class GoldenTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<string> Images => [.. Directory.GetFiles(Folder(), "*.golden", SearchOption.AllDirectories).Select(static path => Path.GetRelativePath(Folder(), path)).Order(StringComparer.Ordinal)];

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Images))]
    public void AGoldenPileIsReadWithoutAChange(string image)
    {
        Unpack(image);
        Dictionary<string, byte[]> before = Files();
        using (ObjectPile pile = Open(image, PileOpenMode.ReadOnly))
        {
            GoldenContent.Require(pile);
            Assert.Empty(pile.Verify().Findings);
        }

        Assert.Equal(before, Files());
    }

    [Theory]
    [MemberData(nameof(Images))]
    public void AGoldenPileIsOpenedChangedAndOpenedAgain(string image)
    {
        Unpack(image);
        PilePointer put;
        using (ObjectPile pile = Open(image, PileOpenMode.OpenExisting))
        {
            GoldenContent.Require(pile);
            put = pile.Put(new GoldenTypes.Person { Name = "new" });
            PilePointer gone = pile.Put("gone");
            Assert.True(pile.Delete(gone));
            _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
            pile.Commit();
            Assert.Empty(pile.Scrub(TestContext.Current.CancellationToken).Corrupted);
        }

        using ObjectPile again = Open(image, PileOpenMode.OpenExisting);
        Assert.Equal(PileOpening.Clean, again.RecoveryReport().Opening);
        GoldenContent.Require(again);
        Assert.Equal("new", again.Get<GoldenTypes.Person>(put).Name);
        Assert.Empty(again.Verify().Findings);
    }

    [Theory]
    [MemberData(nameof(Images))]
    public void AGoldenPileIsReadFromItsLogAlone(string image)
    {
        Unpack(image);
        foreach (string derived in Directory.GetFiles(_directory.Path).Where(static path => Path.GetFileName(path) is var name && (name.StartsWith("table", StringComparison.Ordinal) || name.StartsWith("sums", StringComparison.Ordinal) || name.StartsWith("checkpoint", StringComparison.Ordinal))))
        {
            File.Delete(derived);
        }

        using ObjectPile pile = Open(image, PileOpenMode.OpenExisting);
        Assert.Equal(PileOpening.Crawled, pile.RecoveryReport().Opening);
        GoldenContent.Require(pile);
        Assert.Empty(pile.Verify().Findings);
    }

    [Fact]
    public void AllKindsOfPilesAreThere()
    {
        if (Environment.GetEnvironmentVariable("PILE_MAKE_GOLDEN") == "1")
        {
            Make();
        }

        Assert.Equal(
            ["clean-powersafe", "clean-processsafe", "cleared", "crash-powersafe", "crash-processsafe", "recovered"],
            Images.Select(static image => image.Data).Where(static image => image.StartsWith("v1", StringComparison.Ordinal)).Select(Path.GetFileNameWithoutExtension));
        using ObjectPile crashed = OpenOf("v1/crash-powersafe.golden");
        Assert.True(crashed.RecoveryReport().CheckpointFlush > 0);
        Assert.Equal(PileOpening.Crawled, crashed.RecoveryReport().Opening);
    }

    [Fact]
    public void AProcessSafePileOfAnotherBootIsRefusedUnlessLossIsAccepted()
    {
        Unpack("v1/crash-processsafe.golden");
        Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(_directory.Path, GoldenContent.Options));
        using ObjectPile pile = Open("v1/crash-processsafe.golden", PileOpenMode.OpenExisting);
        GoldenContent.Require(pile);
    }

    /// <summary>Writes the golden piles of a new format version; one that is there is never written again.</summary>
    private void Make()
    {
        Make("clean-powersafe", PilePromise.PowerSafe, static pile => GoldenContent.Fill(pile), closes: true);
        Make("clean-processsafe", PilePromise.ProcessSafe, static pile => GoldenContent.Fill(pile), closes: true);
        Make("crash-processsafe", PilePromise.ProcessSafe, static pile => GoldenContent.Fill(pile), closes: false);
        Make("cleared", PilePromise.PowerSafe, FillTwice, closes: true);
        Make("crash-powersafe", PilePromise.PowerSafe, static pile => FillWithCheckpoint(pile), closes: false);
        Recover();
    }

    private static void FillTwice(ObjectPile pile)
    {
        GoldenContent.Fill(pile);
        pile.Clear();
        GoldenContent.Fill(pile);
    }

    /// <summary>A checkpoint in the midst, and something behind the last flush.</summary>
    private static void FillWithCheckpoint(ObjectPile pile)
    {
        _ = pile.Put(new GoldenTypes.Dog { Name = "before the checkpoint" });
        Assert.True(pile.Durable!.Checkpoints.TryTake(CancellationToken.None));
        GoldenContent.Fill(pile);
        pile.Commit();
        _ = pile.Put("after the last flush");
    }

    private void Recover()
    {
        Unpack(Path.Combine(Version, "crash-powersafe.golden"), fromSource: true);
        ObjectPile.Open(_directory.Path, GoldenContent.Options).Dispose();
        PackTo("recovered", _directory.Path);
    }

    private static string Version => $"v{FormatFeatures.VersionKnown}";

    private static void Make(string name, PilePromise promise, Action<ObjectPile> fill, bool closes)
    {
        using var directory = new TemporaryDirectory();
        using (ObjectPile pile = ObjectPile.Open(directory.Path, GoldenContent.Options with { Promise = promise }))
        {
            fill(pile);
            if (!closes)
            {
                SayOfAnotherBoot(Path.Combine(directory.Path, "pile.meta"));
                PackTo(name, directory.Path);
                return;
            }
        }

        PackTo(name, directory.Path);
    }

    /// <summary>Lets meta say that the pile was last open in a boot that no machine will have again.</summary>
    private static void SayOfAnotherBoot(string path)
    {
        byte[] bytes = File.ReadAllBytes(path);
        for (int slot = 0; slot < bytes.Length; slot += MetaSlot.Bytes)
        {
            Assert.True(MetaSlot.TryRead(bytes.AsSpan(slot, MetaSlot.Bytes), out MetaSlot? meta, out _));
            (meta with { BootId = new Guid("00000000-1111-2222-3333-444444444444") }).Write(bytes.AsSpan(slot, MetaSlot.Bytes));
        }

        File.WriteAllBytes(path, bytes);
    }

    private static void PackTo(string name, string directory)
    {
        string path = Path.Combine(SourceFolder(), Version, name + ".golden");
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        using var target = new FileStream(path, FileMode.CreateNew);
        GoldenImage.Pack(directory, target);
    }

    internal static string Folder() => Path.Combine(AppContext.BaseDirectory, "golden");

    private static string SourceFolder([CallerFilePath] string path = "") => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(path)!, "..", "..", "golden"));

    /// <summary>Unpacks a golden pile into a directory.</summary>
    internal static void Unpack(string image, string directory, bool fromSource = false)
    {
        using FileStream source = File.OpenRead(Path.Combine(fromSource ? SourceFolder() : Folder(), image));
        GoldenImage.Unpack(source, directory);
    }

    private void Unpack(string image, bool fromSource = false) => Unpack(image, _directory.Path, fromSource);

    private ObjectPile OpenOf(string image)
    {
        Unpack(image);
        return Open(image, PileOpenMode.OpenExisting);
    }

    private ObjectPile Open(string image, PileOpenMode mode)
    {
        ObjectPile pile = ObjectPile.Open(_directory.Path, GoldenContent.Options with { OpenMode = mode, AcceptLoss = image.Contains("crash-processsafe", StringComparison.Ordinal) });
        return pile;
    }

    private Dictionary<string, byte[]> Files() => Directory.GetFiles(_directory.Path, "*", SearchOption.AllDirectories).ToDictionary(static path => path, static path => System.Security.Cryptography.SHA256.HashData(File.ReadAllBytes(path)));
}
