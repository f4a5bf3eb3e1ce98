using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Client;
using Pile.Client.Tests;
using Pile.Server.Tests;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>The verbs at a server's address, against the server's own program.</summary>
public sealed class ServerTests : IDisposable
{
    private readonly Piles _piles = new();

    public static TheoryData<string> NeedADirectory => ["info", "recover", "types", "ls", "show", "export", "doctor"];

    public static TheoryData<string> NeedAServer => [.. EveryVerb.OfAServer];

    public void Dispose() => _piles.Dispose();

    [Fact]
    public async Task EntriesAreStoredReadListedAndRemoved()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        string at = server.Address;
        Assert.Equal("stored\n", (await ToolProcess.RunAsync("set", at, "name", "Ada", "--ttl", "1h", "--tag", "red", "--priority", "high")).Expect(0).Output);
        Assert.Equal("stored in place of another\n", (await ToolProcess.RunAsync("set", at, "name", "Charles", "--tag", "red")).Expect(0).Output);
        Assert.Equal("stored\n", (await ToolProcess.RunAsync("set", at, "hex:00ff", "hex:010203")).Expect(0).Output);
        Assert.Equal("Refused", (await ToolProcess.JsonAsync(10, "set", at, "name", "Ada", "--when", "absent")).GetProperty("outcome").GetString());
        Assert.Equal("Refused", (await ToolProcess.JsonAsync(10, "set", at, "nobody", "Ada", "--when", "present")).GetProperty("outcome").GetString());
        Assert.Equal("Charles", (await ToolProcess.RunAsync("get", at, "name")).Expect(0).Output);
        JsonElement got = await ToolProcess.JsonAsync(0, "get", at, "name");
        Assert.Equal((at, "name", "Charles"), (got.GetProperty("server").GetString(), got.GetProperty("key").GetString(), got.GetProperty("text").GetString()));
        Assert.Equal("\u0001\u0002\u0003", (await ToolProcess.RunAsync("get", at, "hex:00ff")).Expect(0).Output);
        Assert.Equal(["hex:00ff", "name"], (await ToolProcess.RunAsync("scan", at, "--keys")).Expect(0).Lines.Order(StringComparer.Ordinal));
        Assert.Equal(["name  Charles"], (await ToolProcess.RunAsync("scan", at, "--prefix", "na")).Expect(0).Lines);
        JsonElement table = (await ToolProcess.JsonAsync(0, "tables", at)).GetProperty("tables").EnumerateArray().Single();
        Assert.Equal(("default", 2), (table.GetProperty("name").GetString(), table.GetProperty("entries").GetInt32()));
        _ = (await ToolProcess.RunAsync("del", at, "--tag", "red")).Expect(0);
        Assert.Contains("There is no entry 'name'", (await ToolProcess.RunAsync("get", at, "name")).Expect(6).Errors, StringComparison.Ordinal);
        JsonElement removed = await ToolProcess.JsonAsync(6, "del", at, "name", "hex:00ff");
        Assert.Equal((1, "name"), (removed.GetProperty("removed").GetInt32(), removed.GetProperty("missing")[0].GetString()));
        Assert.Contains("There is no table 'other'", (await ToolProcess.RunAsync("get", at, "name", "-t", "other")).Expect(6).Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ItSaysWhatTheServerDoes()
    {
        await using ServerProcess server = await ServerProcess.StartAsync("--listen=unix:" + _piles.PathOf("socket"));
        string at = "unix:" + _piles.PathOf("socket");
        _ = (await ToolProcess.RunAsync("set", at, "name", "Ada")).Expect(0);
        _ = (await ToolProcess.RunAsync("get", at, "name")).Expect(0);
        JsonElement ping = await ToolProcess.JsonAsync(0, "ping", at, "--count", "3");
        Assert.True(ping.GetProperty("isServing").GetBoolean() && ping.GetProperty("medianMs").GetDouble() > 0);
        JsonElement stat = await ToolProcess.JsonAsync(0, "stat", at);
        Assert.Equal((1, 1), (stat.GetProperty("entries").GetInt32(), stat.GetProperty("hits").GetInt32()));
        string[] watched = (await ToolProcess.RunAsync("stat", at, "--watch", "--every", "10ms", "--count", "3", "--json")).Expect(0).Lines;
        Assert.Equal([1, 1, 1], watched.Select(static line => JsonDocument.Parse(line).RootElement.GetProperty("entries").GetInt32()));
        using var top = JsonDocument.Parse(Assert.Single((await ToolProcess.RunAsync("top", at, "--every", "10ms", "--count", "1", "--json")).Expect(0).Lines));
        Assert.Equal("default", top.RootElement.GetProperty("tables")[0].GetProperty("name").GetString());
        Assert.Contains("reads/s", (await ToolProcess.RunAsync("top", at, "--every", "10ms", "--count", "1")).Expect(0).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AMeasurementLeavesNoTable()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        JsonElement bench = await ToolProcess.JsonAsync(
            0, "bench", server.Address, "--requests", "500", "--keys", "300", "--clients", "8", "--pipeline", "4", "--bytes", "10", "--bytes", "2000", "--connections", "2", "--quiet");
        JsonElement[] steps = [.. bench.GetProperty("steps").EnumerateArray()];
        Assert.Equal(["set 10", "get 10", "mix 10", "set 2000", "get 2000", "mix 2000"], steps.Select(static step => $"{step.GetProperty("name")} {step.GetProperty("valueBytes")}"));
        Assert.All(steps, static step =>
        {
            Assert.Equal((500, 2000), (step.GetProperty("requests").GetInt32(), step.GetProperty("entries").GetInt32()));
            Assert.InRange(step.GetProperty("p50Us").GetDouble(), double.Epsilon, step.GetProperty("p99Us").GetDouble());
            Assert.InRange(step.GetProperty("p99Us").GetDouble(), double.Epsilon, step.GetProperty("maxUs").GetDouble());
        });
        Assert.Equal("default", (await ToolProcess.JsonAsync(0, "tables", server.Address)).GetProperty("tables").EnumerateArray().Single().GetProperty("name").GetString());
    }

    [Fact]
    public async Task TablesAreMadeClearedAndDropped()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        string at = server.Address;
        JsonElement made = (await ToolProcess.JsonAsync(0, "tables", at, "--create", "sessions", "--ttl", "1h", "--entries-max", "1000")).GetProperty("tables")[1];
        Assert.Equal(("sessions", "Speculative", 3_600_000, 1000), (made.GetProperty("name").GetString(), made.GetProperty("kind").GetString(), made.GetProperty("timeToLiveMs").GetInt64(), made.GetProperty("entriesMax").GetInt64()));
        _ = (await ToolProcess.RunAsync("tables", at, "--create", "sessions", "--ttl", "1h", "--entries-max", "1000")).Expect(0);
        Assert.Contains("other options", (await ToolProcess.RunAsync("tables", at, "--create", "sessions", "--durable")).Expect(5).Errors, StringComparison.Ordinal);
        _ = (await ToolProcess.RunAsync("set", at, "name", "Ada", "-t", "sessions")).Expect(0);
        Assert.Equal(0, (await ToolProcess.JsonAsync(0, "tables", at, "--clear", "sessions")).GetProperty("tables")[1].GetProperty("entries").GetInt64());
        Assert.Equal(1, (await ToolProcess.JsonAsync(0, "tables", at, "--drop", "sessions")).GetProperty("tables").GetArrayLength());
        _ = (await ToolProcess.RunAsync("tables", at, "--drop", "sessions")).Expect(6);
        _ = (await ToolProcess.RunAsync("tables", at, "--durable")).Expect(2);
        string cache = Caches.Make(_piles);
        _ = (await ToolProcess.RunAsync("tables", cache, "--create", "sessions")).Expect(2);
        JsonElement left = (await ToolProcess.JsonAsync(0, "tables", cache, "--clear", "numbers", "--drop", "texts")).GetProperty("tables");
        Assert.Equal(["default 3", "numbers 0", "objects 1"], left.EnumerateArray().Select(static table => $"{table.GetProperty("name")} {table.GetProperty("entries")}"));
        Assert.Equal(3, (await ToolProcess.JsonAsync(0, "tables", cache)).GetProperty("tables").GetArrayLength());
    }

    [Fact]
    public async Task ChangesAreToldAsTheyHappenAndAWatchGoesOnWhereItWas()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        string at = server.Address;
        string resume;
        using (Process watch = ToolProcess.Start(["watch", at, "--json", "--count", "2", "--prefix", "n"]))
        {
            Assert.Equal("pile watch: watching 'default'", await Within.AMinuteAsync(watch.StandardError.ReadLineAsync(TestContext.Current.CancellationToken).AsTask(), "the watch"));
            foreach (string[] line in (string[][])[["set", at, "other", "x"], ["set", at, "name", "Ada"], ["del", at, "name"]])
            {
                _ = (await ToolProcess.RunAsync(line)).Expect(0);
            }

            string output = await Within.AMinuteAsync(watch.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken), "the changes");
            await Within.AMinuteAsync(watch.WaitForExitAsync(TestContext.Current.CancellationToken), "the end of the command");
            Assert.Equal(0, watch.ExitCode);
            JsonElement[] told = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => JsonDocument.Parse(line).RootElement)];
            Assert.Equal(["set name", "removed name"], told.Select(static change => $"{change.GetProperty("kind")} {change.GetProperty("key")}"));
            resume = told[^1].GetProperty("resume").GetString()!;
        }

        _ = (await ToolProcess.RunAsync("set", at, "later", "x")).Expect(0);
        Assert.Equal(["set  later"], (await ToolProcess.RunAsync("watch", at, "--resume", resume, "--count", "1", "--quiet")).Expect(0).Lines);
        _ = (await ToolProcess.RunAsync("watch", at, "--table", "nothing")).Expect(6);
    }

    [Fact]
    public async Task AWatchThatEndsAmongChangesThatCameTogetherMissesNoneOfTheOthers()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var client = new PileClient(new PileClientOptions { Address = server.Address });
        PileClientTable table = client.Table("default");
        string at = server.Address;
        string before;
        using (Process watch = ToolProcess.Start(["watch", at, "--json", "--count", "1"]))
        {
            Assert.NotNull(await Within.AMinuteAsync(watch.StandardError.ReadLineAsync(TestContext.Current.CancellationToken).AsTask(), "the watch"));
            _ = await table.SetAsync("first", "x"u8.ToArray(), cancel: TestContext.Current.CancellationToken);
            before = ResumeOf(await Within.AMinuteAsync(watch.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken), "the change"));
            await Within.AMinuteAsync(watch.WaitForExitAsync(TestContext.Current.CancellationToken), "the end of the command");
        }

        _ = await table.SetManyAsync([.. "abc".Select(static key => KeyValuePair.Create(new PileKey($"{key}"), (ReadOnlyMemory<byte>)"x"u8.ToArray()))], cancel: TestContext.Current.CancellationToken);
        string one = Assert.Single((await ToolProcess.RunAsync("watch", at, "--json", "--count", "1", "--resume", before)).Expect(0).Lines);
        _ = await table.SetManyAsync([.. "def".Select(static key => KeyValuePair.Create(new PileKey($"{key}"), (ReadOnlyMemory<byte>)"x"u8.ToArray()))], cancel: TestContext.Current.CancellationToken);

        // The first of them is told again.
        Assert.Contains("\"a\"", one, StringComparison.Ordinal);
        Assert.Equal(["set  a", "set  b", "set  c"], (await ToolProcess.RunAsync("watch", at, "--count", "3", "--quiet", "--resume", ResumeOf(one))).Expect(0).Lines);
        string[] all = (await ToolProcess.RunAsync("watch", at, "--json", "--count", "6", "--quiet", "--resume", ResumeOf(one))).Expect(0).Lines;
        _ = await table.SetAsync("g", "x"u8.ToArray(), cancel: TestContext.Current.CancellationToken);
        Assert.Equal(["set  g"], (await ToolProcess.RunAsync("watch", at, "--count", "1", "--quiet", "--resume", ResumeOf(all[^1]))).Expect(0).Lines);

        static string ResumeOf(string line) => JsonDocument.Parse(line).RootElement.GetProperty("resume").GetString()!;
    }

    [Fact]
    public async Task AServerIsVerifiedCompactedAndCopiedByWhoMay()
    {
        string copies = _piles.PathOf("copies");
        await using ServerProcess server = await ServerProcess.StartAsync(
            "--directory", _piles.PathOf("served"), $"--PileServer:CopyDirectory={copies}", $"--PileClients:operator:TokenSha256={HashOf("cares")}", "--PileClients:operator:Access=Read,Write,Admin",
            $"--PileClients:reader:TokenSha256={HashOf("reads")}", "--PileClients:reader:Access=Read");
        string at = server.Address;
        _ = (await ToolProcess.RunAsync("tables", at, "--create", "kept", "--durable", "--token", "cares")).Expect(0);
        _ = (await ToolProcess.RunAsync("set", at, "name", "Ada", "-t", "kept", "--token", "cares")).Expect(0);
        Assert.True((await ToolProcess.JsonAsync(0, "verify", at, "--token", "cares")).GetProperty("isGood").GetBoolean());
        _ = (await ToolProcess.RunAsync("compact", at, "--token", "cares")).Expect(0);
        Assert.Equal("nightly", (await ToolProcess.JsonAsync(0, "copy", at, "nightly", "--token", "cares")).GetProperty("target").GetString());
        Assert.Equal("Ada", (await ToolProcess.RunAsync("get", copies + "/nightly", "name", "-t", "kept")).Expect(0).Output);
        foreach (string[] line in (string[][])[["verify", at], ["compact", at], ["copy", at, "again"]])
        {
            _ = (await ToolProcess.RunAsync([.. line, "--token", "reads"])).Expect(9);
        }
    }

    [Fact]
    public async Task ATokenSaysWhatMayBeDone()
    {
        await using ServerProcess server = await ServerProcess.StartAsync(
            $"--PileClients:writer:TokenSha256={HashOf("writes")}", "--PileClients:writer:Access=Read,Write", $"--PileClients:reader:TokenSha256={HashOf("reads")}", "--PileClients:reader:Access=Read");
        _ = (await ToolProcess.RunAsync("set", server.Address, "name", "Ada", "--token", "writes")).Expect(0);
        Assert.Equal("Ada", (await ToolProcess.RunAsync(new Dictionary<string, string> { ["PILE_TOKEN"] = "reads" }, "get", server.Address, "name")).Expect(0).Output);
        Assert.Equal("Denied", (await ToolProcess.JsonAsync(9, "set", server.Address, "name", "Charles", "--token", "reads")).GetProperty("error").GetProperty("code").GetString());
        _ = (await ToolProcess.RunAsync("get", server.Address, "name", "--token", "guessed")).Expect(9);
        Assert.Contains("--token, or the variable PILE_TOKEN", (await ToolProcess.RunAsync("get", server.Address, "name")).Expect(9).Errors, StringComparison.Ordinal);
        _ = (await ToolProcess.RunAsync("ping", server.Address, "--count", "1")).Expect(0);
        Assert.Equal("Ada", (await ToolProcess.RunAsync("get", server.Address, "name", "--token", "writes")).Expect(0).Output);
    }

    [Fact]
    public async Task ByTlsBothSidesAreKnownByTheirCertificates()
    {
        using var certificates = new TestCertificates();
        using X509Certificate2 atServer = certificates.Sign("server", isServer: true);
        using X509Certificate2 atClient = certificates.Sign("client", isServer: false);
        (string pem, string key) = certificates.Pem(atServer, "server");
        (string clientPem, string clientKey) = certificates.Pem(atClient, "client");
        await using ServerProcess server = await ServerProcess.StartAsync("--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key, "--client-authority", certificates.AuthorityFile);
        _ = (await ToolProcess.RunAsync("tables", server.Address, "--ca", certificates.AuthorityFile, "--cert", clientPem, "--cert-key", clientKey)).Expect(0);
        ToolProcess.Outcome unknown = await ToolProcess.RunAsync("tables", server.Address, "--cert", clientPem, "--cert-key", clientKey);
        ToolProcess.Outcome nameless = await ToolProcess.RunAsync("tables", server.Address, "--ca", certificates.AuthorityFile);
        Assert.All([unknown, nameless], static outcome => Assert.True(outcome.Code is 5 or 8 or 9 && outcome.Output.Length == 0, $"{outcome.Code}: {outcome.Errors}"));
        Assert.Contains("Look at the address, at --ca", unknown.Errors, StringComparison.Ordinal);
        Assert.Contains("--cert-key is there without --cert", (await ToolProcess.RunAsync("tables", server.Address, "--cert-key", clientKey)).Expect(2).Errors, StringComparison.Ordinal);
        Assert.Contains("'/no/such/file' can't be used", (await ToolProcess.RunAsync("tables", server.Address, "--ca", "/no/such/file")).Expect(2).Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WhereNobodyAnswersItSaysSo()
    {
        foreach (string[] line in (string[][])[["ping"], ["get", "name"], ["stat"], ["bench"], ["tables"]])
        {
            JsonElement error = (await ToolProcess.JsonAsync(8, [line[0], "http://127.0.0.1:1", .. line.Skip(1)])).GetProperty("error");
            Assert.Contains("http://127.0.0.1:1", error.GetProperty("message").GetString(), StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(NeedADirectory))]
    public async Task AVerbOnDirectoriesRefusesAnAddress(string verb)
    {
        ToolProcess.Outcome outcome = (await ToolProcess.RunAsync(verb == "doctor" ? [verb, "http://127.0.0.1:1"] : EveryVerb.Line(verb, "http://127.0.0.1:1", _piles.PathOf("target")))).Expect(2);
        Assert.Contains("is the address of a server", outcome.Errors, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(NeedAServer))]
    public async Task AVerbOnServersRefusesADirectory(string verb) =>
        Assert.Contains("is no address of a server", (await ToolProcess.RunAsync(verb, _piles.Make())).Expect(2).Errors, StringComparison.Ordinal);

    [Fact]
    public async Task ADirectoryIsNotWatched() =>
        Assert.Contains("is a directory, and nothing changes in it", (await ToolProcess.RunAsync("stat", _piles.Make(), "--watch")).Expect(2).Errors, StringComparison.Ordinal);

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task CtrlCEndsWhatGoesOn()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        using Process process = ToolProcess.StartHeeding(["stat", server.Address, "--watch", "--every", "10ms"]);
        Assert.NotNull(await Within.AMinuteAsync(process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken).AsTask(), "a line"));
        using (Process kill = Process.Start("kill", ["-INT", process.Id.ToString(CultureInfo.InvariantCulture)]))
        {
            await Within.AMinuteAsync(kill.WaitForExitAsync(TestContext.Current.CancellationToken), "kill");
        }

        Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await Within.AMinuteAsync(process.WaitForExitAsync(TestContext.Current.CancellationToken), "the end of the command");
        _ = await Within.AMinuteAsync(output, "the end of its output");
        Assert.Equal(130, process.ExitCode);
    }

    private static string HashOf(string token) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(token)));
}
