using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>pile import, killed (SIGKILL) after a random part of its input, or after all of it: there is no pile then, which is said with
/// what to do, or the whole one; and the same import again ends well.</summary>
public sealed class ImportKillTests(ITestOutputHelper output) : IDisposable
{
    private const int Objects = 40_000;
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task AfterAKillThereIsNoPileOrTheWholeOne(int seed)
    {
        var random = new Random(seed);
        string file = _piles.PathOf("the.export");
        string source = _piles.Make(many: Objects);
        _ = (await ToolProcess.RunAsync("export", source, file)).Expect(0);
        byte[] export = await File.ReadAllBytesAsync(file, TestContext.Current.CancellationToken);
        string target = _piles.PathOf("target");
        bool isWhole = false;
        int refused = 0;
        for (int kill = 0; kill < 5 && !isWhole; kill++)
        {
            // Every third has all of its input: it is killed while it ends, or when it has ended.
            int fed = kill % 3 == 2 ? export.Length : random.Next(export.Length);
            await ImportAndKillAsync(export.AsMemory(0, fed), target, random.Next(1 << 20));
            ToolProcess.Outcome looked = await ToolProcess.RunAsync("verify", target);
            output.WriteLine($"seed {seed}, kill {kill}, {fed} of {export.Length} bytes: {looked.Code}");
            isWhole = looked.Code == 0;
            if (isWhole)
            {
                Assert.Equal(export.Length, fed);
                break;
            }

            _ = looked.Expect(3);
            if (Directory.Exists(target) && Directory.GetFileSystemEntries(target).Length > 1)
            {
                // Killed while it made the directory, there is no pile yet; later there is one that says what it lacks.
                Exception? refusal = Record.Exception(() => ObjectPile.Open(target, Piles.Options with { OpenMode = PileOpenMode.OpenExisting }).Dispose());
                if (refusal is PileFormatException)
                {
                    refused++;
                    Assert.Contains("import again or remove it", refusal.Message, StringComparison.Ordinal);
                }
                else
                {
                    Assert.Contains("no pile", Assert.IsAssignableFrom<IOException>(refusal).Message, StringComparison.Ordinal);
                }
            }
        }

        if (!isWhole)
        {
            _ = (await ToolProcess.RunAsync("import", file, target)).Expect(0);
        }

        _ = (await ToolProcess.RunAsync("verify", target)).Expect(0);
        Assert.Equal(Contents(source), Contents(target));
        output.WriteLine($"refused {refused} times");
    }

    private static async Task ImportAndKillAsync(ReadOnlyMemory<byte> input, string target, int spins)
    {
        using Process process = ToolProcess.Start(["import", "-", target]);
        await process.StandardInput.BaseStream.WriteAsync(input, TestContext.Current.CancellationToken);
        await process.StandardInput.BaseStream.FlushAsync(TestContext.Current.CancellationToken);
        Thread.SpinWait(spins);
        if ((spins & 1) == 0)
        {
            process.StandardInput.Close();
            Thread.SpinWait(spins);
        }

        process.Kill();
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>Every object's pointer and bytes.</summary>
    private static SortedDictionary<PilePointer, string> Contents(string path)
    {
        using ObjectPile pile = ObjectPile.Open(path, Piles.Options with { OpenMode = PileOpenMode.ReadOnly });
        SortedDictionary<PilePointer, string> contents = [];
        foreach (PileItem item in pile.Enumerate())
        {
            using PileLease lease = pile.Lease(item.Pointer);
            contents.Add(item.Pointer, Convert.ToHexString(SHA256.HashData(lease.Bytes)));
        }

        return contents;
    }
}
