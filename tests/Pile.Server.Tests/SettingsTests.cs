using System;
using System.IO;
using System.IO.Pipes;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Pile.Server.Running;
using Pile.Server.Settings;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Configuration: each mistake ends the start with its path.</summary>
public sealed class SettingsTests
{
    [Theory]
    [InlineData("--PileClient:bob:TokenSha256=00", "PileClient is no section")]
    [InlineData("--Server:TablesMax=0", "Server is no section of the configuration. There are PileCache, PileServer, PileClients, PileJwt, PileListen, PileTelemetry, Logging, and settings stand within these.")]
    [InlineData("--Kestrel:Endpoints:a:Url=http://127.0.0.1:0", "Kestrel is no section of the configuration.")]
    [InlineData("--PileServer:MessageBytesMax=1", "PileServer:MessageBytesMax = 1 must lie between 65,536 and 268,435,456.")]
    [InlineData("--PileServer:KeyBytesMax=99999999999", "PileServer:KeyBytesMax = 2,147,483,647 must lie between 1 and 15,360.")]
    [InlineData("--PileServer:ValueBytesMax=many", "PileServer:ValueBytesMax = 'many' can't be read: it must be a number of bytes, or one with a unit, such as 64MB or 2GiB.")]
    [InlineData("--PileServer:ReplyBudgetBytes=100", "PileServer:ReplyBudgetBytes = 100 must lie between 16,777,216 and")]
    [InlineData("--PileServer:ReceiveBudgetBytes=100", "PileServer:ReceiveBudgetBytes = 100 must lie between 16,777,216 and")]
    [InlineData("--PileServer:SlowCall=5", "PileServer:SlowCall = '5' can't be read")]
    [InlineData("--PileServer:SlowCall=00:00:00", "PileServer:SlowCall = 00:00:00 must be more than zero.")]
    [InlineData("--PileServer:MesageBytesMax=1", "PileServer:MesageBytesMax is not a setting of a server. There are AnonymousAccess, MessageBytesMax")]
    [InlineData("--PileServer:AnonymousAccess=5", "PileServer:AnonymousAccess = '5' can't be read: it must be None, or some of Read, Write and Admin")]
    [InlineData("--PileClients:a:Access=Read", "PileClients:a has neither TokenSha256 nor CertificateSha256")]
    [InlineData("--PileClients:a:TokenSha256=abc", "PileClients:a:TokenSha256 must be 64 hexadecimal digits, and has 3 chars.")]
    [InlineData("--PileJwt:Audience=a", "PileJwt must have either Authority or KeyFile: one of them says by which keys tokens are checked.")]
    [InlineData("--PileJwt:KeyFile=a", "PileJwt:Audience is missing: without it tokens for other services would count here.")]
    [InlineData("--PileJwt:KeyFile=a", "PileJwt:Issuer is missing, and KeyFile needs it: it is the claim 'iss' of tokens.")]
    [InlineData("--PileJwt:Authority=http://issuer.test", "PileJwt:Authority = 'http://issuer.test' must be an address by https, or by http of the loopback address.")]
    [InlineData("--PileJwt:Audience=a;--PileJwt:ClockSkew=00:11:00", "PileJwt:ClockSkew = 00:11:00 must lie between 00:00:00 and 00:10:00.")]
    [InlineData("--PileJwt:Audience=a;--PileJwt:NameClaim=", "PileJwt:NameClaim is empty: it must be the name of a claim.")]
    [InlineData("--PileJwt:Secret=a", "PileJwt:Secret is not a setting of a check of tokens. There are Authority, KeyFile")]
    [InlineData("--PileCache:MemoryLimitBytes=1", "PileCache:MemoryLimitBytes: MemoryLimitBytes must be at least 1,048,576")]
    [InlineData("--PileListen:Port=1", "PileListen:Port is not a setting of a listener. There are Addresses, HealthAddresses, Insecure")]
    [InlineData("--listen=127.0.0.1:80", "PileListen:Addresses = '127.0.0.1:80' is no address")]
    [InlineData("--listen=http://example.com:80", "is no address")]
    [InlineData("--listen=http://0.0.0.0:0", "is not this machine alone, and in the clear. Use https")]
    [InlineData("--listen=https://127.0.0.1:0", "PileListen:Certificate is missing, and 'https://127.0.0.1:0' needs one")]
    [InlineData("--health=http://0.0.0.0:0", "PileListen:HealthAddresses = 'http://0.0.0.0:0' is not this machine alone")]
    [InlineData("--health=nothing", "PileListen:HealthAddresses = 'nothing' is no address")]
    [InlineData("--listen=http://127.0.0.1:7171;--health=http://localhost:7171", "PileListen:HealthAddresses = 'http://localhost:7171' is taken by PileListen:Addresses = 'http://127.0.0.1:7171': give each a port, or a socket, of its own.")]
    [InlineData("--listen=unix:/tmp/a;--health=unix:/tmp/../tmp/a", "PileListen:HealthAddresses = 'unix:/tmp/../tmp/a' is taken by")]
    [InlineData("--listen=http://[::]:7171;--insecure;--health=http://127.0.0.1:7171", "PileListen:HealthAddresses = 'http://127.0.0.1:7171' is taken by")]
    [InlineData("--listen=http://127.0.0.1:7171;--insecure;--health=http://0.0.0.0:7171", "PileListen:HealthAddresses = 'http://0.0.0.0:7171' is taken by")]
    [InlineData("--listen=", "PileListen:Addresses is empty: the program would listen nowhere.")]
    [InlineData("--PileListen:StreamsPerConnectionMax=1048577", "PileListen:StreamsPerConnectionMax = 1,048,577 must lie between 1 and 1,048,576.")]
    [InlineData("--PileTelemetry:OtlpEndpoint=localhost:4317", "PileTelemetry:OtlpEndpoint = 'localhost:4317' is no address")]
    [InlineData("--PileTelemetry:OtlpProtocol=Udp", "PileTelemetry:OtlpProtocol = 'Udp' can't be read: it must be one of Grpc, HttpProtobuf")]
    [InlineData("--PileTelemetry:MetricsInterval=00:00:00.500", "PileTelemetry:MetricsInterval = 00:00:00.5000000 must lie between 00:00:01 and 01:00:00.")]
    [InlineData("--PileTelemetry:TraceRatio=NaN", "PileTelemetry:TraceRatio = NaN must lie between 0 and 1.")]
    [InlineData("--PileTelemetry:TraceRatio=1.5", "PileTelemetry:TraceRatio = 1.5 must lie between 0 and 1.")]
    [InlineData("--PileServer:CallsPerSecondMax=0", "PileServer:CallsPerSecondMax = 0 must lie between 1 and")]
    [InlineData("--PileServer:BatchItemsMax=0", "PileServer:BatchItemsMax = 0 must lie between 1 and 1,048,576.")]
    [InlineData("--PileServer:CopyDirectory=", "PileServer:CopyDirectory is empty")]
    [InlineData("--key=a.pem", "PileListen:Certificate is missing, and settings beside it are there.")]
    [InlineData("--PileListen:ConnectionsMax=0", "PileListen:ConnectionsMax = 0 must lie between 1 and")]
    [InlineData("--lisen=http://127.0.0.1:0", "'--lisen=http://127.0.0.1:0' is no argument of pile-server. There are --config, --listen")]
    [InlineData("--memory-limit", "'--memory-limit' needs a value behind it.")]
    [InlineData("--config=a.json;--config=b.json", "'--config' is given twice")]
    [InlineData("--config=", "'--config' names no file")]
    [InlineData("--config=/nothing/there.json", "--config '/nothing/there.json'")]
    [InlineData("--memory-limit;--insecure", "'--memory-limit' needs a value behind it, and '--insecure' is another argument. Write --memory-limit=--insecure if it is meant.")]
    [InlineData("--Logging:LogLevel:Default=Loud", "Logging:LogLevel:Default = 'Loud' must be one of Trace, Debug, Information, Warning, Error, Critical, None.")]
    [InlineData("--Logging:Console:LogLevel:Pile=7", "Logging:Console:LogLevel:Pile = '7' must be one of Trace")]
    [InlineData("--Logging:Console:QueueFullMode=Drop", "Logging:Console:QueueFullMode = 'Drop' must be one of Wait, DropWrite.")]
    [InlineData("--Logging:Console:MaxQueueLength=0", "Logging:Console:MaxQueueLength = '0' must be a whole number, 1 or more.")]
    [InlineData("--listen=unix:/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a socket's path has at most 107 bytes, and '/aaaa")]
    public async Task AMistakeEndsTheStartWithItsPath(string arguments, string text)
    {
        OptionsValidationException mistake = await Assert.ThrowsAsync<OptionsValidationException>(async () =>
        {
            await using TestServer server = await TestServer.StartAsync(arguments.Split(';'));
        });

        Assert.Contains(mistake.Failures, failure => failure.Contains(text, StringComparison.Ordinal));
    }

    [Fact]
    public void AFileThatIsAPipeIsReadOnceAndCounts()
    {
        using var pipe = new AnonymousPipeServerStream(PipeDirection.Out);
        string file = $"/proc/self/fd/{pipe.GetClientHandleAsString()}";
        pipe.Write("""{ "PileServer": { "KeyBytesMax": 7 } }"""u8);
        pipe.SafePipeHandle.Dispose();
        var configuration = new ConfigurationManager();
        ArgumentReader.AddTo(configuration, ["--config", file]);

        Assert.Equal("7", configuration["PileServer:KeyBytesMax"]);
    }

    [Theory]
    [InlineData("{\n  \"PileServer\": {,\n}", "LineNumber: 1")]
    [InlineData("[]", "Top-level JSON element must be an object")]
    [InlineData("""{ "PileServer": { "TablesMax": 1, "TablesMax": 2 } }""", "A duplicate key 'PileServer:TablesMax'")]
    public async Task AFileThatIsNoConfigurationIsToldByItsNameAndWhy(string json, string text)
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string file = Path.Combine(directory.Path, "server.json");
        await File.WriteAllTextAsync(file, json, TestContext.Current.CancellationToken);

        OptionsValidationException mistake = await Assert.ThrowsAsync<OptionsValidationException>(() => TestServer.StartAsync("--config", file));

        Assert.StartsWith($"--config '{file}': ", mistake.Failures.Single(), StringComparison.Ordinal);
        Assert.Contains(text, mistake.Failures.Single(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PileServer", "\"AnonymousAccess\": \"\"", "PileServer:AnonymousAccess = ''")]
    [InlineData("PileClients", "\"shop\": {}", "PileClients:shop has neither")]
    [InlineData("PileJwt", "\"Authority\": \"\"", "PileJwt:Authority")]
    [InlineData("PileClients", null, "PileClients = 'shop'")]
    public async Task WhatSaysNothingInAFileEndsTheStartRatherThanOpenTheServer(string section, string? setting, string text)
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string file = Path.Combine(directory.Path, "server.json");
        await File.WriteAllTextAsync(file, $$"""{ "{{section}}": {{(setting is null ? "\"shop\"" : "{ " + setting + " }")}} }""", TestContext.Current.CancellationToken);

        OptionsValidationException mistake = await Assert.ThrowsAsync<OptionsValidationException>(async () =>
        {
            await using TestServer server = await TestServer.StartAsync("--config", file);
        });

        Assert.StartsWith(text, mistake.Failures.First(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("\"AnonymousAccess\": \"None\"", "AnonymousAccess is no section")]
    [InlineData("\"Clients\": { \"shop\": { \"TokenSha256\": \"00\" } }", "Clients is no section")]
    [InlineData("\"Clients\": {}", "Clients is no section")]
    [InlineData("\"Kestrel\": { \"Endpoints\": { \"a\": { \"Url\": \"http://127.0.0.1:0\" } } }", "Kestrel is no section")]
    public async Task WhatStandsInAFileBesideTheSectionsEndsTheStartWithItsPath(string beside, string text)
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string file = Path.Combine(directory.Path, "server.json");
        await File.WriteAllTextAsync(file, $$"""{ "$schema": "a.json", "Logging": { "LogLevel": { "Default": "Warning" } }, "PileServer": { "TablesMax": 5 }, {{beside}} }""", TestContext.Current.CancellationToken);

        OptionsValidationException mistake = await Assert.ThrowsAsync<OptionsValidationException>(async () =>
        {
            await using TestServer server = await TestServer.StartAsync("--config", file);
        });

        Assert.StartsWith(text, mistake.Failures.Single(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PILE_Clients__shop__Access", "Read", "PILE_Clients__shop__Access is a variable of the environment, and Clients is no section of the configuration.")]
    [InlineData("PILE_PileClient__shop__Access", "Read", "PILE_PileClient__shop__Access is a variable of the environment, and PileClient is no section of the configuration.")]
    [InlineData("PILE_PileServer_AnonymousAccess", "None", "PILE_PileServer_AnonymousAccess is a variable of the environment, and PileServer_AnonymousAccess is no section of the configuration.")]
    [InlineData("PILE_PILE_PileClients__shop__Access", "Read", "PILE_PileClients is no section of the configuration.")]
    [InlineData("PileClient__shop__Access", "Read", "PileClient__shop__Access is a variable of the environment, and PileClient is no section of the configuration.")]
    [InlineData("PileSever__AnonymousAccess", "None", "PileSever__AnonymousAccess is a variable of the environment, and PileSever is no section of the configuration.")]
    [InlineData("DOTNET_PileSever__AnonymousAccess", "None", "PileSever is no section of the configuration.")]
    [InlineData("PILE_PileClients", "shop", "PileClients = 'shop' is a value")]
    public async Task AnUnknownSectionInAVariableEndsTheStart(string name, string value, string text)
    {
        await using ServerProcess refused = ServerProcess.Run(["--in-memory", "--listen=http://127.0.0.1:0"], (name, value));
        await refused.EndAsync();
        Assert.Equal(2, refused.ExitCode);
        Assert.Contains(text, refused.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task VariablesOfOthersDoNotEndTheStart()
    {
        await using ServerProcess server = ServerProcess.Run(
            ["--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0"],
            ("PILE_TOKEN", "abc"),
            ("Clients__shop__Access", "Read"),
            ("AnonymousAccess", "None"),
            ("PileClient__Address", "http://10.0.0.1:7171"),
            ("PileNear__StalenessMax", "00:00:05"),
            ("PileConnections__shop__Address", "http://10.0.0.1:7171"),
            ("Piles__shop__Directory", "/data"));
        await server.SaysAsync("Application started.");
        Assert.False(server.HasEnded, server.Log);
    }

    [Theory]
    [InlineData("PILE")]
    [InlineData("PILE_SERVER")]
    [InlineData("PILE_PILE_SERVER")]
    [InlineData("PILE_PILESERVER")]
    [InlineData("PILE_SERVER__A")]
    public async Task VariablesOfAServiceOfKubernetesDoNotEndTheStart(string service)
    {
        await using ServerProcess server = ServerProcess.Run(
            ["--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0"],
            ($"{service}_SERVICE_HOST", "10.0.0.1"),
            ($"{service}_SERVICE_PORT", "7171"),
            ($"{service}_SERVICE_PORT_GRPC", "7171"),
            ($"{service}_PORT", "tcp://10.0.0.1:7171"),
            ($"{service}_PORT_7171_TCP", "tcp://10.0.0.1:7171"),
            ($"{service}_PORT_7171_TCP_PROTO", "tcp"),
            ($"{service}_PORT_7171_TCP_PORT", "7171"),
            ($"{service}_PORT_7171_TCP_ADDR", "10.0.0.1"));
        await server.SaysAsync("Application started.");
        Assert.False(server.HasEnded, server.Log);
    }

    [Theory]
    [InlineData("Kestrel__Endpoints__a__Url", "http://127.0.0.1:0")]
    [InlineData("ASPNETCORE_Kestrel__Endpoints__a__Url", "http://127.0.0.1:0")]
    [InlineData("ASPNETCORE_URLS", "http://127.0.0.1:0")]
    public async Task TheFrameworksSettingsInTheEnvironmentOpenNoAddress(string name, string value)
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string socket = Path.Combine(directory.Path, "server");
        await using ServerProcess server = ServerProcess.Run(["--in-memory", "--memory-limit=64MiB", $"--listen=unix:{socket}"], (name, value), ("ASPNETCORE_PREFERHOSTINGURLS", "true"));
        await server.SaysAsync("Application started.");

        Assert.False(server.HasEnded, server.Log);
        Assert.Equal([$"http://unix:{socket}"], server.Log.Split('\n').Where(static line => line.Contains("Now listening on: ", StringComparison.Ordinal)).Select(static line => line.Trim().Split(' ')[^1]));
    }

    [Theory]
    [InlineData("--listen=unix:/nothing/there.sock", "'/nothing/there.sock'")]
    [InlineData("--health=unix:/nothing/there.sock", "'/nothing/there.sock'")]
    [InlineData("--listen=http://203.0.113.7:0", "'203.0.113.7:0'")]
    public async Task WhereItCantListenEndsItWithCode1AndTheAddress(string argument, string address)
    {
        await using ServerProcess process = ServerProcess.Run(["--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0", "--insecure", argument]);
        await process.EndAsync();

        Assert.Equal(1, process.ExitCode);
        Assert.StartsWith($"It can't listen on {address}: ", process.Errors, StringComparison.Ordinal);
        Assert.Single(process.Errors.Trim().Split('\n'));
    }

    [Theory]
    [InlineData("LogToStandardErrorThreshold=Warn")]
    [InlineData("FormatterOptions:IncludeScopes=perhaps")]
    public async Task ASettingOfTheLogThatCantBeReadIsAMistakeInOneLine(string setting)
    {
        await using ServerProcess refused = ServerProcess.Run(["--in-memory", "--listen=http://127.0.0.1:0", $"--Logging:Console:{setting}"]);
        await refused.EndAsync();
        Assert.Equal(2, refused.ExitCode);
        string mistake = refused.Errors.Trim().Split('\n')[0];
        Assert.All(setting.Split('='), part => Assert.Contains(part, mistake, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Warning", false)]
    [InlineData("Information", true)]
    public async Task TheFrameworkLogsCallsOnlyWhereItIsTold(string level, bool isLogged)
    {
        await using TestServer server = await TestServer.StartAsync(level == "Information" ? [$"--Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics={level}"] : []);
        _ = await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") });

        Assert.Equal(isLogged, server.Log.Lines.Any(static line => line.Category.StartsWith("Microsoft.AspNetCore.Hosting.Diagnostics", StringComparison.Ordinal)));
        Assert.Contains(server.Log.Lines, static line => line.Id.Id == 306);
    }

    [Fact]
    public void TheFileCountsBelowTheArguments()
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string file = Path.Combine(directory.Path, "server.json");
        File.WriteAllText(file, """{ "PileServer": { "KeyBytesMax": 7, "ValueBytesMax": 8 }, "PileClients": { "a": { "Access": "Read" } } }""");
        var configuration = new ConfigurationManager();
        ArgumentReader.AddTo(configuration, ["--config", file, "--PileServer:ValueBytesMax", "9"]);
        var options = new PileServerOptions();
        ServerSettings.Read(configuration, options);

        Assert.Empty(options.Problems);
        Assert.Equal((7, 9, PileServerAccess.Read), (options.KeyBytesMax, options.ValueBytesMax, options.Clients["A"].Access));
    }

    [Theory]
    [InlineData("http://127.0.0.1:7171", true)]
    [InlineData("http://localhost:7171", true)]
    [InlineData("http://[::1]:7171", true)]
    [InlineData("unix:/run/pile.sock", true)]
    [InlineData("http://0.0.0.0:7171", false)]
    [InlineData("http://10.1.2.3:7171", false)]
    [InlineData("http://[::]:7171", false)]
    public void OnlyWhatThisMachineAloneReachesIsLocal(string text, bool isLocal) => Assert.Equal(isLocal, ListenAddress.Parse(text)!.IsLocal);

    [Fact]
    public void TheHelpNamesEveryArgument()
    {
        var configuration = new ConfigurationManager();
        string all = Assert.Throws<OptionsValidationException>(() => ArgumentReader.AddTo(configuration, ["?"])).Failures.Single();
        string[] names = [.. all.Split(' ', ',').Where(static word => word.StartsWith("--", StringComparison.Ordinal) && word != "--help.").Select(static word => word.TrimEnd('.'))];

        Assert.InRange(names.Length, 9, 20);
        Assert.All(names, static name => Assert.Contains(name + " ", HelpText.Text, StringComparison.Ordinal));
    }

    [Fact]
    public async Task AnAddressInTheClearThatOthersReachNeedsInsecureAndIsNamedInTheLog()
    {
        await using TestServer server = await TestServer.StartAsync("--listen=http://0.0.0.0:0", "--insecure");
        Assert.Contains(server.Log.Lines, static line => line.Id.Id == 307);
    }
}
