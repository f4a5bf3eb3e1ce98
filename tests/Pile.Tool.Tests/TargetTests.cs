using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Durability.Hostile;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Verbs that write: what they make is whole, what they don't finish is not there.</summary>
public sealed class TargetTests : IDisposable
{
    private readonly Piles _piles = new();

    public static TheoryData<string> Golden => [.. Piles.GoldenNames];

    public void Dispose() => _piles.Dispose();

    [Theory]
    [MemberData(nameof(Golden))]
    public async Task CopyRecoverAndCompactOfAGoldenPileKeepItsObjects(string name)
    {
        string source = _piles.Golden(name);
        string before = Piles.Fingerprint(source);
        bool mayBeOlder = name == "crash-processsafe";
        JsonElement recovered = await ToolProcess.JsonAsync(mayBeOlder ? 1 : 0, "recover", source, _piles.PathOf("rescued"));
        Assert.True(recovered.GetProperty("isGood").GetBoolean());
        Assert.Equal(mayBeOlder ? 1 : 0, recovered.GetProperty("dropped").GetArrayLength());
        List<(PilePointer, int)> objects = ObjectsOf(_piles.PathOf("rescued"));
        Assert.Equal(recovered.GetProperty("objects").GetInt64(), objects.Count);

        // What nobody knows the loss of is not copied as if it were whole.
        _ = await ToolProcess.JsonAsync(mayBeOlder ? 1 : 0, "copy", source, _piles.PathOf("copy"));
        Assert.Equal(!mayBeOlder, Directory.Exists(_piles.PathOf("copy")));
        Assert.Equal(before, Piles.Fingerprint(source));
        if (!mayBeOlder)
        {
            Assert.Equal(objects, ObjectsOf(_piles.PathOf("copy")));
            JsonElement compacted = await ToolProcess.JsonAsync(0, "compact", source);
            Assert.True(compacted.GetProperty("usedBytesAfter").GetInt64() <= compacted.GetProperty("usedBytesBefore").GetInt64());
            Assert.Equal(objects, ObjectsOf(source));
            _ = (await ToolProcess.RunAsync("verify", source)).Expect(0);
        }
    }

    [Theory]
    [InlineData("copy")]
    [InlineData("recover")]
    [InlineData("export")]
    public async Task TheTablesOfACacheAreSaidToBeLeftBehind(string verb)
    {
        string source = _piles.Make();
        ToolProcess.Outcome without = (await ToolProcess.RunAsync(verb, source, _piles.PathOf("first"))).Expect(0);
        Assert.DoesNotContain("cache", without.Errors, StringComparison.Ordinal);
        File.WriteAllBytes(Path.Combine(source, "index.1"), new byte[8192]);
        File.WriteAllBytes(Path.Combine(source, "index.7"), new byte[8192]);

        ToolProcess.Outcome with = (await ToolProcess.RunAsync(verb, source, _piles.PathOf("second"))).Expect(0);

        Assert.Contains(verb == "export" ? "its tables (2) and their entries were left behind" : "its durable tables came along, the others and their entries were left behind", with.Errors, StringComparison.Ordinal);
        Assert.Contains((await ToolProcess.RunAsync("info", source)).Expect(0).Lines, static line => line.StartsWith("cache tables", StringComparison.Ordinal) && line.EndsWith(" 2", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("copy")]
    [InlineData("recover")]
    public async Task NothingIsMadeWithinAPile(string verb)
    {
        string source = _piles.Make();
        string before = Piles.Fingerprint(source);

        string errors = (await ToolProcess.RunAsync(verb, source, Path.Combine(source, "extents", "deep", "copy"))).Expect(5).Errors;

        Assert.Contains($"lies within '{source}', which is a pile", errors, StringComparison.Ordinal);
        Assert.Equal(before, Piles.Fingerprint(source));
        Assert.False(Directory.Exists(Path.Combine(source, "extents", "deep")));
    }

    [Theory]
    [InlineData("copy")]
    [InlineData("recover")]
    public async Task DurableTablesComeAlongAndOthersDoNot(string verb)
    {
        string target = _piles.PathOf("target");

        string errors = (await ToolProcess.RunAsync(verb, Caches.Make(_piles), target, "--quiet")).Expect(0).Errors;

        Assert.Equal("1.75\n", (await ToolProcess.RunAsync("get", target, "7", "--table", "numbers")).Expect(0).Output);
        _ = (await ToolProcess.RunAsync("get", target, "greeting", "--table", "texts")).Expect(6);
        Assert.Equal($"pile {verb}: the pile has a cache: its durable tables came along, the others and their entries were left behind.\n", errors);
    }

    [Theory]
    [MemberData(nameof(Golden))]
    public async Task AnExportOfAGoldenPileIsImportedWithTheSamePointers(string name)
    {
        string source = _piles.Golden(name);
        string before = Piles.Fingerprint(source);
        string file = _piles.PathOf("the.export");
        bool mayBeOlder = name == "crash-processsafe";
        JsonElement exported = await ToolProcess.JsonAsync(mayBeOlder ? 1 : 0, "export", source, file);
        Assert.Equal(before, Piles.Fingerprint(source));
        Assert.Equal(!mayBeOlder, File.Exists(file));
        if (mayBeOlder)
        {
            return;
        }

        Assert.Equal(new FileInfo(file).Length, exported.GetProperty("bytes").GetInt64());
        JsonElement imported = await ToolProcess.JsonAsync(0, "import", file, _piles.PathOf("again"));
        List<(PilePointer, int)> objects = ObjectsOf(_piles.PathOf("again"));
        Assert.Equal(ObjectsOf(source), objects);
        Assert.Equal(exported.GetProperty("objects").GetInt64(), imported.GetProperty("objects").GetInt64());
        Assert.Contains("is there already", (await ToolProcess.RunAsync("export", source, file)).Expect(5).Errors, StringComparison.Ordinal);
        Assert.Contains("--json", (await ToolProcess.JsonAsync(2, "export", source, "-")).GetProperty("error").GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ADamagedOrShortExportMakesNoPileAndLeavesNoTrace()
    {
        string file = _piles.PathOf("the.export");
        _ = (await ToolProcess.RunAsync("export", _piles.Make(), file)).Expect(0);
        byte[] bytes = await File.ReadAllBytesAsync(file, TestContext.Current.CancellationToken);
        string bad = _piles.PathOf("bad.export");
        string target = _piles.PathOf("target");
        foreach (int at in (int[])[0, bytes.Length / 2, bytes.Length - 3])
        {
            byte[] flipped = [.. bytes];
            flipped[at] ^= 1;
            await File.WriteAllBytesAsync(bad, flipped, TestContext.Current.CancellationToken);
            ToolProcess.Outcome outcome = await ToolProcess.RunAsync("import", bad, target);
            Assert.True(outcome.Code is 1 or 3, $"byte {at}: {outcome.Code}, {outcome.Errors}");
            Assert.False(Path.Exists(target));
        }

        await File.WriteAllBytesAsync(bad, bytes[..(bytes.Length / 2)], TestContext.Current.CancellationToken);
        _ = (await ToolProcess.RunAsync("import", bad, target)).Expect(1);
        Assert.False(Path.Exists(target));
        _ = (await ToolProcess.RunAsync("import", _piles.PathOf("missing"), target)).Expect(5);
        Assert.False(Path.Exists(target));
    }

    [Theory]
    [InlineData("copy")]
    [InlineData("recover")]
    public async Task ATargetThatHoldsSomethingIsRefusedAndKeptAsItIs(string verb)
    {
        string source = _piles.Make();
        string target = _piles.PathOf("target");
        _ = Directory.CreateDirectory(target);
        await File.WriteAllTextAsync(Path.Combine(target, "letter.txt"), "Dear reader", TestContext.Current.CancellationToken);
        ToolProcess.Outcome outcome = (await ToolProcess.RunAsync(verb, source, target)).Expect(5);
        Assert.Contains("not empty", outcome.Errors, StringComparison.Ordinal);
        Assert.Equal(["letter.txt"], Directory.GetFileSystemEntries(target).Select(Path.GetFileName));
    }

    [Theory]
    [InlineData("copy")]
    [InlineData("recover")]
    [Trait("Category", "Foreign")]
    public async Task AFullDeviceAtTheTargetEndsItWithoutATrace(string verb)
    {
        string source = _piles.Make(many: 50_000);
        using var device = new SmallDevice(1);
        JsonElement error = (await ToolProcess.JsonAsync(5, verb, source, device.Path)).GetProperty("error");
        Assert.Contains("Free space", error.GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.False(Path.Exists(device.Path));
        _ = (await ToolProcess.RunAsync("verify", source)).Expect(0);
    }

    [Theory]
    [InlineData("export")]
    [InlineData("import")]
    [InlineData("show")]
    [InlineData("bench")]
    [Trait("Category", "Foreign")]
    public async Task AFullDeviceEndsWhatIsMadeThereWithoutATrace(string verb)
    {
        string source = _piles.Make(many: 50_000);
        using (ObjectPile pile = ObjectPile.Open(source, Piles.Options))
        {
            pile.Roots.Set("larger than the device", pile.PutBytes(new byte[3 << 20]));
        }

        string export = _piles.PathOf("the.export");
        _ = (await ToolProcess.RunAsync("export", source, export)).Expect(0);
        using var device = new SmallDevice(1);
        long free = device.FreeBytes;
        string folder = Path.GetDirectoryName(device.Path)!;
        string[] line = verb switch
        {
            "export" => [verb, source, device.Path],
            "import" => [verb, export, device.Path],
            "show" => [verb, source, "larger than the device", "--output", device.Path],
            _ => [verb, folder, "--keys", "100000"],
        };
        ToolProcess.Outcome outcome = (await ToolProcess.RunAsync([.. line, "--quiet"])).Expect(5);
        Assert.Empty(outcome.Output);
        Assert.Contains("space", Assert.Single(outcome.Errors.Split('\n', StringSplitOptions.RemoveEmptyEntries)), StringComparison.OrdinalIgnoreCase);
        Assert.Empty(Directory.GetFileSystemEntries(folder));
        Assert.Equal(free, device.FreeBytes);
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task OnAFullDeviceCompactEndsAndThePileIsWhole()
    {
        using var device = new SmallDevice(16);
        PilePointer[] kept;
        using (ObjectPile pile = ObjectPile.Open(device.Path, Piles.Options with { UsedOverLive = 16 }))
        {
            PilePointer[] all = [.. Enumerable.Range(0, 60_000).Select(index => pile.PutValue((long)index))];
            kept = [.. all.Where(static (_, index) => index % 3 == 0)];
            foreach (PilePointer pointer in all.Where(static (_, index) => index % 3 != 0))
            {
                _ = pile.Delete(pointer);
            }
        }

        device.Leave(4096);
        ToolProcess.Outcome outcome = await ToolProcess.RunAsync("compact", device.Path);
        Assert.True(outcome.Code is 0 or 5, $"{outcome.Code}: {outcome.Errors}");
        _ = (await ToolProcess.RunAsync("verify", device.Path)).Expect(0);
        using ObjectPile again = ObjectPile.Open(device.Path, Piles.Options with { OpenMode = PileOpenMode.ReadOnly });
        for (int index = 0; index < kept.Length; index++)
        {
            Assert.Equal(3 * index, again.Get<long>(kept[index]));
        }
    }

    [Theory]
    [InlineData("INT", 130)]
    [InlineData("TERM", 143)]
    [Trait("Category", "Foreign")]
    public async Task ASignalEndsAVerbInOrder(string signal, int code)
    {
        // It waits for who reads its output: the pipe is full long before the list is at its end.
        using Process process = ToolProcess.StartHeeding(["ls", _piles.Make(many: 200_000), "--objects", "--quiet"]);
        _ = await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        await SignalAsync(process, signal);
        _ = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        string errors = await process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(code, process.ExitCode);
        Assert.Equal("pile ls: Stopped before the end; nothing is left half done.\n", errors);
    }

    [Theory]
    [InlineData("copy")]
    [InlineData("recover")]
    [InlineData("export")]
    [InlineData("import")]
    [InlineData("bench")]
    [Trait("Category", "Foreign")]
    public async Task ASignalWhileATargetIsWrittenLeavesAllOrNothing(string verb)
    {
        string source = _piles.Make();
        using (ObjectPile pile = ObjectPile.Open(source, Piles.Options))
        {
            for (int index = 0; index < 60; index++)
            {
                _ = pile.PutBytes(new byte[1 << 20]);
            }
        }

        if (verb == "import")
        {
            string file = _piles.PathOf("the.export");
            _ = (await ToolProcess.RunAsync("export", source, file)).Expect(0);
            source = file;
        }

        string target = _piles.PathOf(verb == "bench" ? "pile-bench-" : "target");
        using var watcher = new FileSystemWatcher(_piles.PathOf("")) { IncludeSubdirectories = true };
        using var begun = new SemaphoreSlim(0);
        watcher.Created += (_, created) =>
        {
            if (created.FullPath.StartsWith(target, StringComparison.Ordinal))
            {
                _ = begun.Release();
            }
        };
        watcher.EnableRaisingEvents = true;
        using Process process = ToolProcess.StartHeeding([.. verb == "bench" ? [verb, _piles.PathOf(""), "--quiet"] : EveryVerb.Line(verb, source, target)]);
        await begun.WaitAsync(TestContext.Current.CancellationToken);
        await SignalAsync(process, "INT");
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);

        // It may have been done before the signal came.
        Assert.True(process.ExitCode is 130 or 0, $"{process.ExitCode}");
        Assert.DoesNotContain(Directory.GetFileSystemEntries(_piles.PathOf("")), path => path.StartsWith(target, StringComparison.Ordinal) && path != target);
        if (verb == "export" && File.Exists(target))
        {
            _ = (await ToolProcess.RunAsync("import", target, _piles.PathOf("again"))).Expect(0);
        }
        else if (Path.Exists(target))
        {
            _ = (await ToolProcess.RunAsync("verify", target)).Expect(0);
        }

        _ = (await ToolProcess.RunAsync("verify", _piles.PathOf("pile"))).Expect(0);
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task ASignalWhileAPileIsCompactedLeavesItWhole()
    {
        string path = _piles.PathOf("pile");
        PilePointer[] pointers;
        using (ObjectPile pile = ObjectPile.Open(path, Piles.Options with { UsedOverLive = 16 }))
        {
            pointers = [.. Enumerable.Range(0, 200_000).Select(index => pile.PutValue((long)index))];
            foreach (PilePointer pointer in pointers.Where(static (_, index) => index % 3 != 0))
            {
                _ = pile.Delete(pointer);
            }
        }

        var random = new Random(3);
        for (int round = 0; round < 4; round++)
        {
            using Process process = ToolProcess.StartHeeding(["compact", path, "--quiet"]);
            string before = Piles.Stamp(path);
            while (before == Piles.Stamp(path) && !process.HasExited)
            {
                Thread.SpinWait(random.Next(20_000));
            }

            await TrySignalAsync(process);
            await process.WaitForExitAsync(TestContext.Current.CancellationToken);
            Assert.True(process.ExitCode is 130 or 0, $"round {round}: {process.ExitCode}");
            _ = (await ToolProcess.RunAsync("verify", path)).Expect(0);
        }

        using ObjectPile again = ObjectPile.Open(path, Piles.Options with { OpenMode = PileOpenMode.ReadOnly });
        for (int index = 0; index < pointers.Length; index++)
        {
            Assert.Equal(index % 3 == 0 ? PileStatus.Ok : PileStatus.Stale, again.TryLease(pointers[index], out PileLease lease, out PileStatus status) ? End(lease) : status);
        }
    }

    private static PileStatus End(PileLease lease)
    {
        lease.Dispose();
        return PileStatus.Ok;
    }

    /// <summary>Signals a process that may have ended meanwhile.</summary>
    private static async Task TrySignalAsync(Process process)
    {
        using var killing = Process.Start(ForeignProgram.Require("kill", "procps"), ["-s", "INT", process.Id.ToString(CultureInfo.InvariantCulture)]);
        await killing.WaitForExitAsync(TestContext.Current.CancellationToken);
    }

    private static async Task SignalAsync(Process process, string signal)
    {
        using var killing = Process.Start(ForeignProgram.Require("kill", "procps"), ["-s", signal, process.Id.ToString(CultureInfo.InvariantCulture)]);
        await killing.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, killing.ExitCode);
    }

    [Fact]
    public async Task BenchSaysWhatItMeasuredAndLeavesNothing()
    {
        string folder = _piles.PathOf("bench");
        _ = Directory.CreateDirectory(folder);
        JsonElement bench = await ToolProcess.JsonAsync(0, "bench", folder, "--requests", "2000", "--keys", "1000", "--bytes", "50");
        Assert.Equal(2000, bench.GetProperty("requests").GetInt64());
        Assert.Equal(
            ["set", "get", "mix", "commit after a set", "close", "open after a close"],
            bench.GetProperty("steps").EnumerateArray().Select(static step => step.GetProperty("name").GetString()));
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    private static List<(PilePointer, int)> ObjectsOf(string path)
    {
        using ObjectPile pile = ObjectPile.Open(path, Piles.Options with { OpenMode = PileOpenMode.ReadOnly });
        List<(PilePointer, int)> objects = [];
        foreach (PileItem item in pile.Enumerate())
        {
            objects.Add((item.Pointer, item.PayloadBytes));
        }

        return objects;
    }
}
