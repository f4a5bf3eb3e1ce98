using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Pile.Tests.Durability.Hostile;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Every OpenMode over everything that a path may lead to: what it opens or creates, and that what it refuses it leaves as it was.</summary>
public sealed class OpenModeTests : IDisposable
{
    private readonly HostileDirectory _pile = new();
    private readonly TemporaryDirectory _place = new();

    public static TheoryData<PileOpenMode, string, Type?> Table => new()
    {
        { PileOpenMode.OpenOrCreate, "missing", null },
        { PileOpenMode.OpenOrCreate, "empty", null },
        { PileOpenMode.OpenOrCreate, "pile", null },
        { PileOpenMode.OpenOrCreate, "foreign", typeof(PileFormatException) },
        { PileOpenMode.OpenOrCreate, "file", typeof(IOException) },
        { PileOpenMode.OpenExisting, "missing", typeof(DirectoryNotFoundException) },
        { PileOpenMode.OpenExisting, "empty", typeof(FileNotFoundException) },
        { PileOpenMode.OpenExisting, "pile", null },
        { PileOpenMode.OpenExisting, "foreign", typeof(PileFormatException) },
        { PileOpenMode.OpenExisting, "file", typeof(IOException) },
        { PileOpenMode.CreateNew, "missing", null },
        { PileOpenMode.CreateNew, "empty", null },
        { PileOpenMode.CreateNew, "pile", typeof(IOException) },
        { PileOpenMode.CreateNew, "foreign", typeof(PileFormatException) },
        { PileOpenMode.CreateNew, "file", typeof(IOException) },
        { PileOpenMode.ReadOnly, "missing", typeof(DirectoryNotFoundException) },
        { PileOpenMode.ReadOnly, "empty", typeof(FileNotFoundException) },
        { PileOpenMode.ReadOnly, "pile", null },
        { PileOpenMode.ReadOnly, "foreign", typeof(PileFormatException) },
        { PileOpenMode.ReadOnly, "file", typeof(IOException) },
    };

    public void Dispose()
    {
        _pile.Dispose();
        _place.Dispose();
    }

    [Fact]
    public void TheTableHasEveryModeOverEverything() =>
        Assert.Equal(
            [.. from mode in Enum.GetValues<PileOpenMode>() from place in (string[])["empty", "file", "foreign", "missing", "pile"] select (mode, place)],
            Table.Select(static row => (row.Data.Item1, row.Data.Item2)).OrderBy(static row => row.Item1).ThenBy(static row => row.Item2, StringComparer.Ordinal));

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    public void ADirectoryWithoutANameIsRefusedByTheNameOfTheParameter(string directory) =>
        Assert.Equal("directory", Assert.Throws<ArgumentException>(() => ObjectPile.Open(directory)).ParamName);

    /// <summary>False would say that somebody else took it.</summary>
    [Fact]
    public void TryTakeOfAPileOpenedForReadingIsAnErrorAndLeavesTheObject()
    {
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(_place.Path, PileOptions.Tiny with { MemoryLimitBytes = null }))
        {
            pointer = pile.Put("there");
        }

        using ObjectPile reading = ObjectPile.Open(_place.Path, PileOptions.Tiny with { MemoryLimitBytes = null, OpenMode = PileOpenMode.ReadOnly });
        Exception delete = Assert.ThrowsAny<Exception>(() => reading.Delete(pointer));
        Assert.Equal(delete.GetType(), Record.Exception(() => reading.TryTake(pointer, out string? _))?.GetType());
        Assert.Equal("there", reading.Get<string>(pointer));
        Assert.False(reading.TryTake(default, out string? nothing));
        Assert.Null(nothing);
    }

    [Theory]
    [MemberData(nameof(Table))]
    public async Task AnOpenFindsCreatesOrRefusesByItsTypeAndChangesNothing(PileOpenMode mode, string place, Type? refusal)
    {
        string path = Make(place);
        SortedDictionary<string, string> before = Everything(path);
        PileOptions options = HostileDirectory.Options with { OpenMode = mode };
        foreach (bool isAsync in (bool[])[false, true])
        {
            if (refusal is not null)
            {
                Exception? refused = isAsync
                    ? await Record.ExceptionAsync(() => ObjectPile.OpenAsync(path, options, cancellationToken: TestContext.Current.CancellationToken))
                    : Record.Exception(() => ObjectPile.Open(path, options).Dispose());
                Assert.IsType(refusal, refused);
                Assert.Contains(path, refused.Message, StringComparison.Ordinal);
                Assert.Equal(before, Everything(path));
                continue;
            }

            using (ObjectPile pile = isAsync ? await ObjectPile.OpenAsync(path, options, cancellationToken: TestContext.Current.CancellationToken) : ObjectPile.Open(path, options))
            {
                Assert.Equal(place == "pile" ? PileOpening.Clean : PileOpening.Created, pile.RecoveryReport().Opening);
                Assert.Equal(place == "pile", pile.GetStatistics().Objects > 0);
                Assert.Equal(mode == PileOpenMode.ReadOnly ? PileStatus.ReadOnly : PileStatus.Ok, pile.TryPutBytes([1], out _));
            }

            if (mode == PileOpenMode.ReadOnly)
            {
                Assert.Equal(before, Everything(path));
            }

            if (place != "pile")
            {
                Directory.Delete(path, recursive: true);
                path = Make(place);
            }
        }
    }

    private string Make(string place)
    {
        string path = place == "pile" ? _pile.Path : Path.Combine(_place.Path, "at", place);
        _ = place is "empty" or "foreign" ? Directory.CreateDirectory(path) : Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        if (place is "foreign" or "file")
        {
            File.WriteAllText(place == "file" ? path : Path.Combine(path, "letter.txt"), "not a pile's");
        }

        return path;
    }

    /// <summary>Names, lengths and bytes of what stands at a path; of what is missing, nothing.</summary>
    private static SortedDictionary<string, string> Everything(string path)
    {
        SortedDictionary<string, string> everything = new(StringComparer.Ordinal);
        if (File.Exists(path))
        {
            everything.Add(path, File.ReadAllText(path));
        }

        foreach (string entry in Directory.Exists(path) ? Directory.GetFileSystemEntries(path, "*", SearchOption.AllDirectories).Prepend(path) : [])
        {
            everything.Add(entry, File.Exists(entry) ? Digest(entry) : "directory");
        }

        return everything;
    }

    private static string Digest(string path) => Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(File.ReadAllBytes(path)));
}
