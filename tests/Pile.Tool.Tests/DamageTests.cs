using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Bytes flipped in each kind of file: verify says what and where, recover brings the rest into a pile that is whole.</summary>
public sealed class DamageTests : IDisposable
{
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Theory]
    [InlineData("one slot of meta", "pile.meta", true)]
    [InlineData("one header of an extent", "extents/", true)]
    [InlineData("a segment's row", "extents/", true)]
    [InlineData("a payload", "PayloadChecksumInvalid", false)]
    [InlineData("a record's header", "RecordCheckInvalid", false)]
    [InlineData("a large payload", "PayloadChecksumInvalid", false)]
    [InlineData("a page of the table", "table.", true)]
    [InlineData("the table's header", "table.", true)]
    [InlineData("the sums", "sums.", true)]
    [InlineData("no table", "table.", true)]
    public async Task VerifyNamesTheDamageAndRecoverKeepsTheRest(string what, string named, bool losesNothing)
    {
        string path = _piles.Make();
        PilePointer[] pointers = Pointers(path);
        Damages.Do(path, what);
        string before = Piles.Fingerprint(path);
        ToolProcess.Outcome verified = (await ToolProcess.RunAsync("verify", path)).Expect(1);
        Assert.Contains(named, verified.Output, StringComparison.Ordinal);
        Assert.Contains("pile recover", verified.Output, StringComparison.Ordinal);
        JsonElement document = await ToolProcess.JsonAsync(1, "verify", path);
        Assert.False(document.GetProperty("isGood").GetBoolean());
        Assert.True(document.GetProperty("damages").GetArrayLength() + document.GetProperty("findings").GetArrayLength() > 0);

        string target = _piles.PathOf("recovered");
        JsonElement recovered = await ToolProcess.JsonAsync(losesNothing ? 0 : 1, "recover", path, target);
        Assert.Equal(before, Piles.Fingerprint(path));
        Assert.Equal(losesNothing, recovered.GetProperty("dropped").GetArrayLength() == 0);
        _ = (await ToolProcess.RunAsync("verify", target)).Expect(0);
        using ObjectPile pile = ObjectPile.Open(target, Piles.Options with { OpenMode = PileOpenMode.OpenExisting });
        int lost = pointers.Count(pointer => !pile.TryLease(pointer, out PileLease lease) || End(lease));
        Assert.Equal(losesNothing ? 0 : 1, lost);
    }

    [Theory]
    [InlineData("a segment's row", 0, false, "its row is damaged; its header was used")]
    [InlineData("a payload", 1, false, "another payload")]
    [InlineData("a payload", 0, true, "the object of slot")]
    public async Task VerifyCountsADamageOnce(string what, int findings, bool hasNoTable, string said)
    {
        string path = _piles.Make();
        Damages.Do(path, what);
        if (hasNoTable)
        {
            // Another damage, of its own: the open reads all records then, and meets the object too.
            File.Delete(Directory.GetFiles(path, "table.*").Single());
        }

        int damages = hasNoTable ? 2 : 1;
        ToolProcess.Outcome verified = (await ToolProcess.RunAsync("verify", path)).Expect(1);
        Assert.Contains($"damage    {damages}\n", verified.Output, StringComparison.Ordinal);
        Assert.Contains(said, verified.Output, StringComparison.Ordinal);
        JsonElement document = await ToolProcess.JsonAsync(1, "verify", path);
        Assert.Equal(damages, document.GetProperty("damages").GetArrayLength() + document.GetProperty("findings").GetArrayLength());
        Assert.Equal(findings, document.GetProperty("findings").GetArrayLength());
    }

    [Theory]
    [InlineData("both slots of meta", 3)]
    [InlineData("both headers of an extent", 1)]
    [InlineData("an extent is missing", 1)]
    [InlineData("an extent is truncated", 1)]
    public async Task WhatCannotBeOpenedIsRefusedByItsFile(string what, int code)
    {
        string path = _piles.Make();
        Damages.Do(path, what);
        string before = Piles.Fingerprint(path);
        foreach (string[] verb in (string[][])[["verify", path], .. code == 3 ? (string[][])[["recover", path, _piles.PathOf("target")]] : [], ["copy", path, _piles.PathOf("target")]])
        {
            ToolProcess.Outcome outcome = (await ToolProcess.RunAsync(verb)).Expect(code);
            Assert.Contains(code == 3 ? "pile.meta" : "extents/", outcome.Errors, StringComparison.Ordinal);
            Assert.Contains(code == 3 ? "Restore the file. " : "Restore the file, or let 'pile recover' bring what is left into a new directory. ", outcome.Errors, StringComparison.Ordinal);
        }

        Assert.Equal(before, Piles.Fingerprint(path));
        Assert.False(Directory.Exists(_piles.PathOf("target")));
    }

    [Theory]
    [InlineData("both headers of an extent", 0)]
    [InlineData("an extent is truncated", 0)]
    [InlineData("an extent of large objects is missing", 1)]
    [InlineData("an extent is missing", 100)]
    public async Task RecoverKeepsWhatTheOtherFilesHold(string what, int lostMax)
    {
        string path = _piles.Make();
        PilePointer[] pointers = Pointers(path);
        Damages.Do(path, what);
        string before = Piles.Fingerprint(path);
        string target = _piles.PathOf("recovered");
        JsonElement recovered = await ToolProcess.JsonAsync(1, "recover", path, target);
        Assert.Contains("extents/", recovered.GetProperty("dropped")[0].GetProperty("path").GetString(), StringComparison.Ordinal);
        Assert.Equal(before, Piles.Fingerprint(path));
        Assert.Empty(Directory.GetFileSystemEntries(_piles.PathOf("."), ".*salvage*"));
        _ = (await ToolProcess.RunAsync("verify", target)).Expect(0);
        using ObjectPile pile = ObjectPile.Open(target, Piles.Options with { OpenMode = PileOpenMode.OpenExisting });
        int lost = pointers.Count(pointer => !pile.TryLease(pointer, out PileLease lease) || End(lease));
        Assert.Equal(int.Min(lostMax, pointers.Length), lost);
    }

    [Fact]
    public async Task ReadingVerbsShowTheRestOfADamagedPile()
    {
        string path = _piles.Make();
        Damages.Do(path, "a payload");
        ToolProcess.Outcome list = (await ToolProcess.RunAsync("ls", path)).Expect(1);
        Assert.Contains("damaged", list.Output, StringComparison.Ordinal);
        Assert.Contains("Piles+Customer", list.Output, StringComparison.Ordinal);
        Assert.Contains("pile verify", list.Errors, StringComparison.Ordinal);
        ToolProcess.Outcome get = (await ToolProcess.RunAsync("show", path, "text", "--as", "value")).Expect(1);
        Assert.Empty(get.Output);
        Assert.EndsWith("'pile recover' brings what is whole into a new directory.\n", get.Errors, StringComparison.Ordinal);
        ToolProcess.Outcome export = (await ToolProcess.RunAsync("export", path, _piles.PathOf("export"))).Expect(1);
        Assert.EndsWith("'pile recover' brings what is whole into a new directory.\n", export.Errors, StringComparison.Ordinal);
        _ = (await ToolProcess.RunAsync("show", path, "wide", "--as", "value")).Expect(0);
    }

    [Theory]
    [InlineData("a payload")]
    [InlineData("a large payload")]
    [InlineData("a record's header")]
    public async Task CompactRefusesADamagedPile(string what)
    {
        string path = _piles.Make();
        Damages.Do(path, what);
        ToolProcess.Outcome compact = (await ToolProcess.RunAsync("compact", path)).Expect(1);
        Assert.Empty(compact.Output);
        Assert.EndsWith("is damaged: 'pile verify' says where, 'pile recover' brings what is whole into a new directory.\n", compact.Errors, StringComparison.Ordinal);
        _ = (await ToolProcess.RunAsync("recover", path, _piles.PathOf("recovered"))).Expect(1);
        _ = (await ToolProcess.RunAsync("compact", _piles.PathOf("recovered"))).Expect(0);
    }

    [Fact]
    public async Task RecoverKeepsAllOfAClearedPileWithoutItsFloors()
    {
        string path = _piles.Golden("cleared");
        File.Delete(Path.Combine(path, "table.1"));
        File.Delete(Path.Combine(path, "floors.1"));
        ToolProcess.Outcome refused = (await ToolProcess.RunAsync("verify", path)).Expect(1);
        Assert.Contains("floors.1': it is missing", refused.Errors, StringComparison.Ordinal);
        Assert.Contains("let 'pile recover' bring", refused.Errors, StringComparison.Ordinal);
        JsonElement recovered = await ToolProcess.JsonAsync(1, "recover", path, _piles.PathOf("recovered"));
        Assert.EndsWith("floors.1", recovered.GetProperty("dropped")[0].GetProperty("path").GetString(), StringComparison.Ordinal);
        JsonElement verified = await ToolProcess.JsonAsync(0, "verify", _piles.PathOf("recovered"));
        Assert.Equal(873, verified.GetProperty("objects").GetInt32());
    }

    private static bool End(PileLease lease)
    {
        lease.Dispose();
        return false;
    }

    private static PilePointer[] Pointers(string path)
    {
        using ObjectPile pile = ObjectPile.Open(path, Piles.Options with { OpenMode = PileOpenMode.ReadOnly });
        return [.. pile.Roots.Names.Where(static name => name != "deleted").Select(name => pile.Roots.TryGet(name, out PilePointer pointer) ? pointer : default)];
    }
}
