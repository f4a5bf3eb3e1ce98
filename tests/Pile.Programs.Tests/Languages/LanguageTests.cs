using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Languages;
using Pile.Client;
using Pile.Programs.Tests.Cached;
using Pile.Server.Tests;
using Xunit;

namespace Pile.Programs.Tests.Languages;

/// <summary>C#, JavaScript and Python read what each of them has stored: the programs of samples/Languages as a reader runs them, and their code
/// with values at which languages part.</summary>
[Trait("Category", "Foreign")]
public sealed partial class LanguageTests : IDisposable
{
    private static readonly JsonSerializerOptions _json = new(JsonSerializerDefaults.Web);
    private readonly SamplePrograms _samples = new();
    private readonly TestCertificates _certificates = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _samples.Dispose();
        _certificates.Dispose();
    }

    [Fact]
    public async Task EachProgramPrintsWhatEachHasStored()
    {
        (string Name, LanguageProgram Program)[] all = await AllAsync();
        (string, string) server = ("PILE_ADDRESS", new Uri(await SamplePrograms.AddressOfAsync(_samples.StartServer())).Authority);
        for (int writer = 0; writer < all.Length; writer++)
        {
            string id = (9007199254740993 + writer).ToString(System.Globalization.CultureInfo.InvariantCulture);
            _ = await all[writer].Program.RunAsync([.. all[writer].Program.Sample, "set", id, "Zo\u00eb's \ud83e\udd86", "0.1"], server);
            foreach ((string name, LanguageProgram reader) in all)
            {
                string said = await reader.RunAsync([.. reader.Sample, "get", id], server);
                Assert.True(Printed().IsMatch(said), $"{name} read of {all[writer].Name}: {said}");
                Assert.StartsWith($"{id} Zo\u00eb's \ud83e\udd86: 0.1; picture 007fff; note none; stock K\u00f6ln 3, \u6771\u4eac 9007199254740993; tags new, {all[writer].Name}; changed ", said, StringComparison.Ordinal);
                Assert.Equal(said + "product:1: none\n", await reader.RunAsync([.. reader.Sample, "many", id, "1"], server));
            }
        }

        foreach ((string name, LanguageProgram program) in all)
        {
            (int code, string said) = await program.TryAsync([.. program.Sample, "get", new string('7', 17000)], server);
            Assert.True(code == 1 && said.Contains("15,360", StringComparison.Ordinal), $"{name}: {said}");
            (code, said) = await program.TryAsync([.. program.Sample, "look"], server);
            Assert.True(code == 1 && said.Contains("look", StringComparison.Ordinal), $"{name}: {said}");
            (code, said) = await program.TryAsync([.. program.Sample, "get"], server);
            Assert.True(code == 1 && said.Contains("get", StringComparison.Ordinal) && said.TrimEnd().Split('\n').Length == 1, $"{name}: {said}");
        }
    }

    [Fact]
    public async Task EachReadsEveryValueOfEachAsItWasStored()
    {
        (string Name, LanguageProgram Program)[] all = await AllAsync();
        string server = await SamplePrograms.AddressOfAsync(_samples.StartServer());
        await using var client = new PileClient(new PileClientOptions { Address = server, Deadline = TimeSpan.FromMinutes(1) });
        ProductLine[] corpus = [.. Corpus.All().Select(ProductLine.Of)];
        string file = Path.Combine(_certificates.Folder, "corpus.json");
        foreach ((string writer, LanguageProgram storing) in all)
        {
            await client.Table().ClearAsync(Cancel);
            await File.WriteAllTextAsync(file, JsonSerializer.Serialize(corpus, _json), Cancel);
            _ = storing.Corpus is [] ? await StoreAsync(client.Table()) : await storing.RunAsync([.. storing.Corpus, new Uri(server).Authority, "write", file]);
            foreach ((string reader, LanguageProgram reading) in all)
            {
                _ = reading.Corpus is [] ? await ReadAsync(client.Table(), file, corpus.Length) : await reading.RunAsync([.. reading.Corpus, new Uri(server).Authority, "read", file]);
                ProductLine[] found = JsonSerializer.Deserialize<ProductLine[]>(await File.ReadAllTextAsync(file, Cancel), _json)!;
                Assert.Equal(corpus.Length, found.Length);
                for (int at = 0; at < corpus.Length; at++)
                {
                    Assert.True(corpus[at].Whole() == Sorted(found[at]).Whole(), $"{reader} read of {writer}'s product {at}: {Cut(found[at])}; not {Cut(corpus[at])}");
                }
            }
        }
    }

    [Fact]
    public async Task EachSeesWhatTheOthersChangeAndOneOfThemComputesWhatIsMissing()
    {
        (string Name, LanguageProgram Program)[] all = await AllAsync();
        (string, string) server = ("PILE_ADDRESS", new Uri(await SamplePrograms.AddressOfAsync(_samples.StartServer())).Authority);
        foreach ((string name, LanguageProgram watcher) in all)
        {
            using Process watching = watcher.Start([.. watcher.Sample, "watch", "3"], server);
            try
            {
                Assert.Equal("watching", await LineAsync(watching, name));
                foreach ((string _, LanguageProgram writer) in all)
                {
                    _ = await writer.RunAsync([.. writer.Sample, "set", "7", "seven", "1.5"], server);
                    Assert.EndsWith("product:7", await LineAsync(watching, name), StringComparison.Ordinal);
                }

                await watching.WaitForExitAsync(Cancel).WaitAsync(TimeSpan.FromMinutes(1), Cancel);
                Assert.True(watching.ExitCode == 0, $"{name}: {await watching.StandardError.ReadToEndAsync(Cancel)}");
            }
            finally
            {
                watching.Kill(entireProcessTree: true);
            }
        }

        LanguageProgram[] leasing = [.. all.Where(static one => one.Name != "csharp").Select(static one => one.Program)];
        string[] said = await Task.WhenAll(Enumerable.Range(0, 6).Select(at => leasing[at % 2].RunAsync([.. leasing[at % 2].Sample, "lease", "8"], server)));
        Assert.Single(said.Select(static line => line.Split("tags ")[1]).Distinct());
    }

    [Fact]
    public async Task EachComesByTlsWithItsToken()
    {
        (string Name, LanguageProgram Program)[] all = await AllAsync();
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        string hash = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes("a token")));
        string server = await SamplePrograms.AddressOfAsync(_samples.StartServer("https://127.0.0.1:0", "--certificate", pem, "--key", key, $"--PileClients:shop:TokenSha256={hash}", "--PileClients:shop:Access=Read,Write"));
        (string, string)[] known = [("PILE_ADDRESS", new Uri(server).Authority), ("PILE_CA", _certificates.AuthorityFile)];
        foreach ((string name, LanguageProgram program) in all)
        {
            _ = await program.RunAsync([.. program.Sample, "set", "7", name, "1.5"], [.. known, ("PILE_TOKEN", "a token")]);
            Assert.StartsWith($"7 {name}: 1.5;", await program.RunAsync([.. program.Sample, "get", "7"], [.. known, ("PILE_TOKEN", "a token")]), StringComparison.Ordinal);
            foreach ((string, string)[] refused in new (string, string)[][] { known, [.. known, ("PILE_TOKEN", "another")], [known[0], ("PILE_TOKEN", "a token")] })
            {
                (int code, string said) = await program.TryAsync([.. program.Sample, "get", "7"], refused);
                Assert.True(code == 1, $"{name}: {said}");
            }
        }
    }

    [GeneratedRegex("; changed [0-9]{10}\\.[0-9]{9}\n$")]
    private static partial Regex Printed();

    private async Task<(string Name, LanguageProgram Program)[]> AllAsync() =>
        [("csharp", LanguageProgram.CSharp()), ("javascript", LanguageProgram.JavaScript()), ("python", await LanguageProgram.PythonAsync(Path.Combine(_certificates.Folder, "modules")))];

    private static async Task<string> StoreAsync(PileClientTable table)
    {
        var codec = new PileContractCodec<Product>();
        int at = 0;
        foreach (Product product in Corpus.All())
        {
            _ = await table.SetAsync($"c{at++}", product, codec, cancel: Cancel);
        }

        return "";
    }

    private static async Task<string> ReadAsync(PileClientTable table, string file, int count)
    {
        var codec = new PileContractCodec<Product>();
        var found = new ProductLine[count];
        for (int at = 0; at < count; at++)
        {
            found[at] = ProductLine.Of((await table.GetAsync($"c{at}", codec, Cancel))!);
        }

        await File.WriteAllTextAsync(file, JsonSerializer.Serialize(found, _json), Cancel);
        return "";
    }

    // What was read of JSON has lost how its places are ordered.
    private static ProductLine Sorted(ProductLine line) => line with { Stock = new(line.Stock, StringComparer.Ordinal) };

    private static string Cut(ProductLine line) => line.Whole() is { Length: > 300 } text ? text[..300] + "..." : line.Whole();

    private static async Task<string?> LineAsync(Process process, string name)
    {
        try
        {
            return await process.StandardOutput.ReadLineAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromMinutes(1), Cancel);
        }
        catch (TimeoutException)
        {
            Assert.Fail($"After a minute still waiting for a line of the watch of {name}.");
            return null;
        }
    }
}
