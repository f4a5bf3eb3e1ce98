using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Programs.Tests.Languages;

/// <summary>A program of samples/Languages, and the test's own one on the sample's code.</summary>
internal sealed class LanguageProgram
{
    private static readonly TimeSpan _most = TimeSpan.FromMinutes(1);
    private readonly string _program;
    private readonly Dictionary<string, string> _environment;

    private LanguageProgram(string program, string[] sample, string[] corpus, Dictionary<string, string> environment)
    {
        (_program, Sample, Corpus, _environment) = (program, sample, corpus, environment);
    }

    /// <summary>What stands before the verb of the sample.</summary>
    internal string[] Sample { get; }

    /// <summary>What stands before the address, of the program that stores and reads the corpus.</summary>
    internal string[] Corpus { get; }

    /// <summary>The client for .NET.</summary>
    internal static LanguageProgram CSharp()
    {
        string folder = AppContext.BaseDirectory.Replace(Path.Combine("tests", "Pile.Programs.Tests"), Path.Combine("samples", "Languages", "csharp"), StringComparison.Ordinal);
        return new(Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet")), [Path.Combine(folder, "Products.dll")], [], []);
    }

    /// <summary>npm's @grpc/grpc-js and @msgpack/msgpack, or skips the test.</summary>
    internal static LanguageProgram JavaScript()
    {
        string node = ForeignProgram.Require("node", "nodejs");
        string modules = RepositoryFiles.PathOf(Path.Combine("artifacts", "foreign", "node_modules"));
        string[] missing = [.. new[] { "@grpc/grpc-js", "@grpc/proto-loader", "@msgpack/msgpack" }.Where(name => !Directory.Exists(Path.Combine(modules, name)))];
        ForeignProgram.RequireThat(missing.Length == 0, $"Foreign: npm's {string.Join(", ", missing)} is not in artifacts/foreign; .ci/run installs it there.");
        string sample = RepositoryFiles.PathOf(Path.Combine("samples", "Languages", "javascript"));
        return new(node, [Path.Combine(sample, "products.js")], [OwnFile("corpus.js"), sample], new() { ["NODE_PATH"] = modules });
    }

    /// <summary>Debian's python3-grpcio and python3-msgpack, with the modules that protoc makes of the contract; or skips the test.</summary>
    internal static async Task<LanguageProgram> PythonAsync(string modules)
    {
        const string Packages = "Foreign: python3 has no module grpc, google.protobuf or msgpack (Debian packages python3-grpcio, python3-protobuf, python3-msgpack).";

        // Debian's own python, which another one on the path may hide, is the one that its packages are for.
        string python = File.Exists("/usr/bin/python3") ? "/usr/bin/python3" : ForeignProgram.Require("python3", "python3");
        ForeignProgram.RequireThat((await RunAsync(python, ["-c", "import grpc, google.protobuf, msgpack"], [])).Code == 0, Packages);
        string plugin = ForeignProgram.Require("grpc_python_plugin", "protobuf-compiler-grpc");
        string protos = RepositoryFiles.PathOf("protos");
        _ = Directory.CreateDirectory(modules);
        (int code, string said) = await RunAsync(
            ForeignProgram.Require("protoc", "protobuf-compiler"),
            [$"-I{protos}", $"--python_out={modules}", $"--grpc_python_out={modules}", $"--plugin=protoc-gen-grpc_python={plugin}", .. Directory.GetFiles(protos, "*.proto", SearchOption.AllDirectories)],
            []);
        Assert.True(code == 0, said);
        string sample = RepositoryFiles.PathOf(Path.Combine("samples", "Languages", "python"));
        Dictionary<string, string> environment = new() { ["PYTHONPATH"] = $"{modules}{Path.PathSeparator}{sample}", ["PYTHONDONTWRITEBYTECODE"] = "1", ["PYTHONIOENCODING"] = "utf-8" };
        return new(python, [Path.Combine(sample, "products.py")], [OwnFile("corpus.py")], environment);
    }

    /// <summary>Runs it to its end, which must be a good one.</summary>
    /// <returns>What it said.</returns>
    internal async Task<string> RunAsync(string[] arguments, params (string Name, string Value)[] variables)
    {
        (int code, string said) = await TryAsync(arguments, variables);
        Assert.True(code == 0, $"{_program} {string.Join(' ', arguments)} ended with {code}: {said}");
        return said;
    }

    /// <summary>Runs it to its end.</summary>
    internal Task<(int Code, string Said)> TryAsync(string[] arguments, params (string Name, string Value)[] variables) =>
        RunAsync(_program, arguments, [.. _environment.Select(static one => (one.Key, one.Value)), .. variables]);

    /// <summary>Starts it; its output is the caller's to read.</summary>
    internal Process Start(string[] arguments, params (string Name, string Value)[] variables) => ForeignProgram.Start(_program, arguments, [.. _environment.Select(static one => (one.Key, one.Value)), .. variables]);

    private static string OwnFile(string name) => Path.Combine(AppContext.BaseDirectory, "Languages", "Programs", name);

    private static async Task<(int Code, string Said)> RunAsync(string program, string[] arguments, (string Name, string Value)[] variables)
    {
        (int code, string said, string errors) = await ForeignProgram.RunAsync(_most, program, arguments, variables);
        return (code, said + errors);
    }
}
