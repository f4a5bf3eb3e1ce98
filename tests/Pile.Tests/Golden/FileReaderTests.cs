using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Durability;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tests.Golden;

/// <summary>docs/FORMAT.md suffices to read a pile's files: samples/FileReader, which was written from it, finds what Pile finds.</summary>
[Trait("Category", "Foreign")]
[SupportedOSPlatform("linux")]
public sealed class FileReaderTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<string> Images => GoldenTests.Images;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Images))]
    public async Task TheReaderInPythonFindsWhatPileFinds(string image)
    {
        GoldenTests.Unpack(image, _directory.Path);
        (int code, string said, string errors) = await RunAsync();
        Assert.True(code == 0, errors);

        // A pile after a power cut is opened by a crawl, in memory; one that promises nothing then only like this.
        using ObjectPile pile = ObjectPile.Open(_directory.Path, GoldenContent.Options with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = image.Contains("crash-processsafe", StringComparison.Ordinal) });
        string[] lines = said.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(Schemas(pile), Of(lines, "schema").Select(static line => line.Split(' ')[2]).Order(StringComparer.Ordinal));
        Assert.Equal(Roots(pile), Of(lines, "root").Order(StringComparer.Ordinal));
        Assert.Equal(Objects(pile), Of(lines, "object"));
    }

    [Fact]
    public async Task ADamagedObjectIsNamed()
    {
        GoldenTests.Unpack("v1/clean-powersafe.golden", _directory.Path);
        string path = Path.Combine(_directory.Path, "extents", "00000001");
        byte[] bytes = File.ReadAllBytes(path);
        bytes[bytes.AsSpan().IndexOf("by a codec"u8)] ^= 1;
        File.WriteAllBytes(path, bytes);
        (int code, string said, string errors) = await RunAsync();
        Assert.Equal(1, code);
        string pointer = Of(said.Split('\n'), "root \"codec\"").Single().Split(' ')[^1];
        Assert.Contains($"{pointer}: its record is damaged", errors, StringComparison.Ordinal);
    }

    /// <summary>Copies of records stand in two places: what they were made from waits for its flush when the pile is closed.</summary>
    [Fact]
    public async Task APileThatTheCleanerHasWorkedOnIsWhole()
    {
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1) };
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, options))
        {
            List<PilePointer> pointers = [.. Enumerable.Range(0, 2000).Select(index => pile.PutBytes(new byte[100 + (index % 50)]))];
            pile.Commit();
            foreach (PilePointer pointer in pointers.Where(static (_, index) => index % 4 != 0))
            {
                Assert.True(pile.Delete(pointer));
            }

            pile.Commit();
            HeapCore<DurableRecord> core = pile.Durable!.Core;
            core.Cleaner.EnterRole();
            _ = core.Cleaner.Pass(wantedSegments: 3, utilisationMax: 0.98, waitMs: 0);
            core.Cleaner.ExitRole();
            Assert.True(core.Cleaner.MovedRecords > 20, $"{core.Cleaner.MovedRecords} copies");
        }

        (int code, string said, string errors) = await RunAsync();
        Assert.True(code == 0, errors);
        using ObjectPile opened = ObjectPile.Open(_directory.Path, options with { OpenMode = PileOpenMode.ReadOnly });
        Assert.Equal(Objects(opened), Of(said.Split('\n'), "object"));
    }

    [Fact]
    public async Task WhatItCanNotReadIsSaid()
    {
        string path = _directory.Path;
        Assert.Contains($"'{path}' is no pile: there is no such directory", (await RunAsync(path)).Errors, StringComparison.Ordinal);
        _ = Directory.CreateDirectory(path);
        Assert.Contains($"'{path}' is no pile: it has no pile.meta", (await RunAsync(path)).Errors, StringComparison.Ordinal);
        using (ObjectPile pile = ObjectPile.Open(path, PileOptions.Tiny with { MemoryLimitBytes = null }))
        {
            (int inUse, _, string errors) = await RunAsync(path);
            Assert.Equal(1, inUse);
            Assert.Contains($"'{path}' is open in process {Environment.ProcessId}", errors, StringComparison.Ordinal);
        }

        File.Delete(Path.Combine(path, "lock"));
        Assert.Contains($"'{path}' has no file 'lock'", (await RunAsync(path)).Errors, StringComparison.Ordinal);
        (int code, string said, _) = await RunAsync("--help");
        Assert.Equal(0, code);
        Assert.Contains("python3 pile_files.py DIRECTORY", said, StringComparison.Ordinal);
        Assert.Contains("0 arguments, and there is one", (await RunAsync([])).Errors, StringComparison.Ordinal);
    }

    private Task<(int Code, string Said, string Errors)> RunAsync() => RunAsync(_directory.Path);

    private static Task<(int Code, string Said, string Errors)> RunAsync(params string[] arguments) => ForeignProgram.RunAsync(
        TimeSpan.FromMinutes(2),
        ForeignProgram.Require("python3", "python3"),
        [Path.Combine(AppContext.BaseDirectory, "Foreign", "Programs", "pile_files.py"), .. arguments],
        []);

    private static IEnumerable<string> Of(IEnumerable<string> lines, string kind) => lines.Where(line => line.StartsWith(kind + " ", StringComparison.Ordinal));

    private static IEnumerable<string> Schemas(ObjectPile pile) => pile.Durable!.Types.Schemas.Select(Convert.ToHexStringLower).Order(StringComparer.Ordinal);

    private static IEnumerable<string> Roots(ObjectPile pile) => pile.Roots.Names
        .Select(name => pile.Roots.TryGet(name, out PilePointer pointer) ? $"root {JsonSerializer.Serialize(name)} {pointer}" : "")
        .Order(StringComparer.Ordinal);

    private static List<string> Objects(ObjectPile pile)
    {
        List<string> lines = [];
        foreach (PileItem item in pile.Enumerate())
        {
            using PileLease lease = pile.Lease(item.Pointer);
            string kind = item.Kind switch
            {
                PileKind.NarrowString => "narrow",
                PileKind.WideString => "wide",
                PileKind.Codec => "extended",
                _ => item.Kind.ToString().ToLower(CultureInfo.InvariantCulture),
            };
            lines.Add($"object {item.Pointer} {kind} {Convert.ToHexStringLower(lease.Bytes)}".TrimEnd());
        }

        return lines;
    }
}
