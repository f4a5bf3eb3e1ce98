using System;
using System.Formats.Tar;
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

        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        await using BaseImage registry = await BaseImage.StartAsync();
        _ = await DotnetCommand.RunAsync(root!, "publish", "src/Pile.Server", "-c", configuration, "--no-restore", "--no-build", "-t:PublishContainer", $"-p:PublishDir={folder.Path}/published/",
            $"-p:ContainerBaseImage={registry.Registry}/aspnet:10.0", $"-p:ContainerArchiveOutputPath={folder.Path}/image.tar");
        await TarFile.ExtractToDirectoryAsync(Path.Combine(folder.Path, "image.tar"), folder.Path, overwriteFiles: false, TestContext.Current.CancellationToken);
        using var manifest = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder.Path, "manifest.json")));
        JsonElement image = manifest.RootElement[0];
        using var read = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder.Path, image.GetProperty("Config").GetString()!)));
        JsonElement config = read.RootElement.GetProperty("config");

        Assert.Equal("pile-server:latest", image.GetProperty("RepoTags")[0].GetString());
        Assert.Equal("1654", config.GetProperty("User").GetString());
        Assert.Equal(["7171/tcp"], config.GetProperty("ExposedPorts").EnumerateObject().Select(static port => port.Name));
        Assert.Equal(["APP_UID=1654", "ASPNETCORE_HTTP_PORTS=", "PILE_PileCache__Directory=/home/app/cache"], config.GetProperty("Env").EnumerateArray().Select(static one => one.GetString()!).Order(StringComparer.Ordinal));
        Assert.Equal(["dotnet", "/app/Pile.Server.dll"], config.GetProperty("Entrypoint").EnumerateArray().Select(static one => one.GetString()!));
    }

    private static string Value(string name) => _unit.Split('\n').Single(line => line.StartsWith(name + "=", StringComparison.Ordinal))[(name.Length + 1)..];
}
