using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Microsoft.Extensions.Configuration;
using Pile.Server.Running;
using Pile.Server.Tests.Foreign;
using Pile.Tests.Durability;
using Pile.Tests.Foreign;
using Pile.Tidy.Packaging;
using Xunit;

namespace Pile.Server.Tests.Running;

/// <summary>The unit of systemd and the properties of the container.</summary>
public sealed class DeploymentTests
{
    private static readonly string _unit = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "pile-server.service"));

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task SystemdFindsNoFaultWithTheUnit()
    {
        string verify = ForeignProgram.Require("systemd-analyze", "systemd");
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        string unit = Path.Combine(folder.Path, "pile-server.service");

        // The program that it starts must be there: here any will do.
        await File.WriteAllTextAsync(unit, _unit.Replace("/opt/pile-server/pile-server", "/bin/true", StringComparison.Ordinal), TestContext.Current.CancellationToken);
        (int code, string said, string errors) = await ForeignServer.RunAsync(verify, ["verify", unit]);
        Assert.True(code == 0 && !errors.Contains("pile-server", StringComparison.Ordinal), $"{code}: {said}{errors}");
        (int exposed, said, errors) = await ForeignServer.RunAsync(verify, ["security", "--offline=true", "--threshold=20", unit]);
        Assert.True(exposed == 0, $"{said}{errors}");
    }

    [Fact]
    public void TheArgumentsOfTheUnitAreThoseOfTheProgramAndItsTimeIsLongerThanTheHosts()
    {
        string[] words = Value("ExecStart").Split(' ');
        var configuration = new ConfigurationManager();
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        string file = Path.Combine(folder.Path, "server.json");
        File.WriteAllText(file, "{}");
        ArgumentReader.AddTo(configuration, [.. words.Skip(1).Select(word => word == "/etc/pile-server/server.json" ? file : word)]);

        Assert.Equal("/opt/pile-server/pile-server", words[0]);
        Assert.Equal("/var/lib/pile-server/cache", configuration["PileCache:Directory"]);
        Assert.Equal("notify", Value("Type"));
        TimeSpan stop = TimeSpan.FromSeconds(int.Parse(Value("TimeoutStopSec").TrimEnd('s'), null));
        Assert.InRange(stop, new Microsoft.Extensions.Hosting.HostOptions().ShutdownTimeout + TimeSpan.FromSeconds(10), TimeSpan.FromMinutes(2));
        Assert.InRange(int.Parse(Value("LimitNOFILE"), null), 2 * ServerLimits.ConnectionsDefault, 1 << 20);
    }

    [Fact]
    public async Task TheContainerHasAUserItsPortAndWhereTheCacheIs()
    {
        string? root = AppContext.BaseDirectory;
        while (root is not null && !File.Exists(Path.Combine(root, "Pile.sln")))
        {
            root = Path.GetDirectoryName(root);
        }

        string said = await DotnetCommand.RunAsync(root!, "msbuild", "src/Pile.Server/Pile.Server.csproj", "-p:Configuration=Release", "-getProperty:ContainerRepository,ContainerUser,EnableSdkContainerSupport", "-getItem:ContainerPort,ContainerEnvironmentVariable");
        using var read = JsonDocument.Parse(said);
        JsonElement properties = read.RootElement.GetProperty("Properties");
        string[] items = [.. read.RootElement.GetProperty("Items").EnumerateObject().SelectMany(static kind => kind.Value.EnumerateArray())
            .Select(static item => $"{item.GetProperty("Identity").GetString()}={(item.TryGetProperty("Value", out JsonElement value) ? value : item.GetProperty("Type")).GetString()}")];

        Assert.Equal(("pile-server", "app"), (properties.GetProperty("ContainerRepository").GetString(), properties.GetProperty("ContainerUser").GetString()));
        Assert.Equal(["7171=tcp", "PILE_PileCache__Directory=/home/app/cache", "ASPNETCORE_HTTP_PORTS="], items);
    }

    private static string Value(string name) => _unit.Split('\n').Single(line => line.StartsWith(name + "=", StringComparison.Ordinal))[(name.Length + 1)..];
}
