using System;
using System.IO;
using System.Linq;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A directory that is renamed while its pile is open, or that a link leads elsewhere than to: the pile makes, replaces and removes nothing where another one may stand.</summary>
public sealed class MovedDirectoryTests : IDisposable
{
    private readonly TemporaryDirectory _place = new();
    private readonly string _path;
    private readonly string _moved;

    public MovedDirectoryTests()
    {
        _ = Directory.CreateDirectory(_place.Path);
        _path = Path.Combine(_place.Path, "pile");
        _moved = Path.Combine(_place.Path, "moved");
    }

    public void Dispose() => _place.Dispose();

    [Fact]
    public void APileWhereAnotherWasBeforeItWasRenamedStaysWhole()
    {
        ObjectPile old = ObjectPile.Open(_path);
        PilePointer kept = old.Put("kept");
        old.Commit();
        Directory.Move(_path, _moved);
        PilePointer other;
        using (ObjectPile pile = ObjectPile.Open(_path))
        {
            other = pile.Put("other");
            Assert.Contains("is not the directory that was opened", GrowUntilRefused(old).Message, StringComparison.Ordinal);
            Assert.Equal("kept", old.Get<string>(kept));
            Assert.Contains("is not the directory that was opened", Assert.Throws<IOException>(old.Dispose).Message, StringComparison.Ordinal);
            Grow(pile);
        }

        AssertHolds(_path, other, "other");
        AssertHolds(_moved, kept, "kept");
    }

    [Fact]
    public void APileWhoseLinkWasSwitchedWritesNothingWhereItLeadsNow()
    {
        string first = Path.Combine(_place.Path, "first");
        string second = Path.Combine(_place.Path, "second");
        _ = Directory.CreateDirectory(first);
        _ = Directory.CreateSymbolicLink(_path, first);
        ObjectPile linked = ObjectPile.Open(_path);
        PilePointer kept = linked.Put("kept");
        PilePointer other;
        using (ObjectPile pile = ObjectPile.Open(second))
        {
            other = pile.Put("other");
        }

        File.Delete(_path);
        _ = Directory.CreateSymbolicLink(_path, second);
        string[] names = [.. Names(second)];
        linked.Commit();
        _ = GrowUntilRefused(linked);
        _ = Assert.Throws<IOException>(linked.Dispose);
        Assert.Equal(names, Names(second));
        AssertHolds(second, other, "other");
        AssertHolds(first, kept, "kept");
    }

    [Fact]
    public void ExtentsWhoseLinkWasSwitchedAreNotMadeWhereItLeadsNow()
    {
        string aside = Path.Combine(_place.Path, "aside");
        string elsewhere = Path.Combine(_place.Path, "elsewhere");
        string extents = Path.Combine(_path, "extents");
        using (ObjectPile made = ObjectPile.Open(_path))
        {
            _ = made.Put("made");
        }

        Directory.Move(extents, aside);
        _ = Directory.CreateDirectory(elsewhere);
        _ = Directory.CreateSymbolicLink(extents, aside);
        ObjectPile pile = ObjectPile.Open(_path);
        File.Delete(extents);
        _ = Directory.CreateSymbolicLink(extents, elsewhere);
        _ = GrowUntilRefused(pile);
        _ = Assert.Throws<IOException>(pile.Dispose);
        Assert.Empty(Names(elsewhere));
    }

    [Fact]
    public void ARenamedDirectoryThatIsNotGrownIsClosedAndKeepsAll()
    {
        ObjectPile pile = ObjectPile.Open(_path);
        PilePointer kept = pile.Put("kept");
        Directory.Move(_path, _moved);
        PilePointer later = pile.Put("later");
        pile.Commit();
        Close(pile);
        AssertHolds(_moved, kept, "kept");
        AssertHolds(_moved, later, "later");
        Assert.False(Directory.Exists(_path));
    }

    private static void Close(ObjectPile pile)
    {
        try
        {
            pile.Dispose();
        }
        catch (IOException)
        {
            // Not in order.
        }
    }

    private static string[] Names(string directory) => [.. Directory.EnumerateFiles(directory, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];

    private static PilePoisonedException GrowUntilRefused(ObjectPile pile) => Assert.Throws<PilePoisonedException>(() => Grow(pile));

    /// <summary>Puts more than an extent holds.</summary>
    private static void Grow(ObjectPile pile)
    {
        byte[] bytes = new byte[8 << 20];
        for (int index = 0; index < 9; index++)
        {
            _ = pile.PutBytes(bytes);
        }
    }

    private static void AssertHolds(string directory, PilePointer pointer, string text)
    {
        using ObjectPile pile = ObjectPile.Open(directory);
        Assert.Equal(text, pile.Get<string>(pointer));
        Assert.True(pile.Verify().IsGood);
    }
}
