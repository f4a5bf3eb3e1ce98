using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>All cases of the codec once more in a process where dynamic code is switched off, as under AOT.</summary>
public sealed class NoDynamicCodeTests
{
    private const string Switch = "System.Runtime.CompilerServices.RuntimeFeature.IsDynamicCodeSupported";

    [Fact]
    public async Task AllCasesPassWithoutDynamicCode()
    {
        string folder = Directory.CreateTempSubdirectory("pile-cases-").FullName;
        try
        {
            string bytes = Path.Combine(folder, "bytes.txt");
            File.WriteAllLines(bytes, WireCases.Lines(Corpus.Names.ToDictionary(static name => name, static name => Convert.ToHexString(new GraphStore().Write(Corpus.Make(name))))));
            string config = Path.Combine(folder, "cases.runtimeconfig.json");
            JsonNode settings = JsonNode.Parse(File.ReadAllText(Beside("runtimeconfig.json")))!;
            JsonObject options = settings["runtimeOptions"]!.AsObject();
            options["configProperties"] ??= new JsonObject();
            options["configProperties"]![Switch] = false;
            File.WriteAllText(config, settings.ToJsonString());

            string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
            var start = new ProcessStartInfo(host, ["exec", "--runtimeconfig", config, "--depsfile", Beside("deps.json"), Beside("dll"), "-namespace", typeof(WireCases).Namespace!, "-noColor", "-maxThreads", "1"])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                WorkingDirectory = AppContext.BaseDirectory,
            };
            start.Environment[WireCases.BytesVariable] = bytes;
            using Process process = Process.Start(start)!;
            Task<string> errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
            string said = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
            await process.WaitForExitAsync(TestContext.Current.CancellationToken);
            Assert.True(process.ExitCode == 0, said + await errors);
            Match counts = Regex.Match(said, @"Total: (\d+), Errors: 0, Failed: 0, Skipped: (\d+)");
            Assert.True(counts.Success && int.Parse(counts.Groups[1].Value, CultureInfo.InvariantCulture) > 105 && counts.Groups[2].Value == "0", said);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Beside(string extension) => Path.ChangeExtension(typeof(NoDynamicCodeTests).Assembly.Location, extension);
}
