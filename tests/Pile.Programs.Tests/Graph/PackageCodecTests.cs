using System;
using System.Buffers;
using PackageGraph.Data;
using PackageGraph.Forms;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class PackageCodecTests
{
    private static readonly PackageCodec _codec = new();

    private static readonly StoredPackage _package = new()
    {
        Id = 7,
        Revision = 3,
        Name = "nano",
        Version = "7-1",
        Description = "Edits \u2192 simply",
        Section = Ref<string>(11),
        Priority = Ref<string>(12),
        Maintainer = Ref<string>(13),
        InstalledKiB = 0,
        SizeBytes = 1L << 40,
        Edges =
        [
            new(Ref<StoredPackage>(21), Ref<string>(31), new EdgeMark(EdgeKind.Depends, false, 0)),
            new(Ref<StoredPackage>(22), default, new EdgeMark(EdgeKind.ProvidedBy, true, 2)),
        ],
    };

    [Fact]
    public void APackageComesBackAsItWas()
    {
        StoredPackage back = _codec.Read(Write(_package));

        Assert.Equal(_package with { Edges = [] }, back with { Edges = [] });
        Assert.Equal(_package.Edges, back.Edges);
    }

    [Fact]
    public void ANameThatIsNoPackageComesBackWithoutColumns()
    {
        StoredPackage back = _codec.Read(Write(new StoredPackage { Id = 1, Name = "editor" }));

        Assert.Equal(("editor", null, null, null), (back.Name, back.Version, back.Description, back.InstalledKiB));
        Assert.Empty(back.Edges);
    }

    [Fact]
    public void BytesOfTwoVersionsDoNotCountAsWhole()
    {
        byte[] before = Write(_package);
        byte[] after = Write(_package.WithExchanged(0, 1));
        Assert.True(new PackageCodec.View(before).IsWhole && new PackageCodec.View(after).IsWhole);

        for (int cut = 1; cut < before.Length; cut++)
        {
            byte[] torn = [.. before[..cut], .. after[cut..]];
            bool isEither = torn.AsSpan().SequenceEqual(before) || torn.AsSpan().SequenceEqual(after);
            Assert.True(isEither || !new PackageCodec.View(torn).IsWhole, $"cut at {cut}");
        }
    }

    private static PileRef<T> Ref<T>(long bits) => PilePointer.FromInt64(bits).As<T>();

    private static byte[] Write(StoredPackage package)
    {
        var writer = new ArrayBufferWriter<byte>();
        _codec.Write(package, writer);
        return writer.WrittenSpan.ToArray();
    }
}
