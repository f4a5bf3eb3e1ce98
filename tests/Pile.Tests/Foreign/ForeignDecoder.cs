using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tests.Foreign;

/// <summary>A MessagePack library of another language, run once for many values.</summary>
internal sealed class ForeignDecoder
{
    private const string NodePackage = "@msgpack/msgpack";
    private readonly string _program;
    private readonly string _script;
    private readonly string? _nodeModules;

    private ForeignDecoder(string program, string script, string? nodeModules)
    {
        _program = program;
        _script = Path.Combine(AppContext.BaseDirectory, "Foreign", "Programs", script);
        _nodeModules = nodeModules;
    }

    /// <summary>Debian's python3-msgpack, or skips the test.</summary>
    internal static ForeignDecoder Python()
    {
        // Debian's own python, which another one on the path may hide, is the one that its packages are for.
        string program = File.Exists("/usr/bin/python3") ? "/usr/bin/python3" : ForeignProgram.Require("python3", "python3");
        ForeignProgram.RequireThat(Start(program, ["-c", "import msgpack"], null).ExitCode == 0, "Foreign: python3 has no module msgpack (Debian package python3-msgpack).");
        return new ForeignDecoder(program, "decode.py", null);
    }

    /// <summary>npm's @msgpack/msgpack, or skips the test.</summary>
    internal static ForeignDecoder Node()
    {
        string program = ForeignProgram.Require("node", "nodejs");
        string? modules = NodeModules();
        ForeignProgram.RequireThat(modules is not null, $"Foreign: npm's {NodePackage} is not in artifacts/foreign; .ci/run installs it there.");
        return new ForeignDecoder(program, "decode.js", modules);
    }

    /// <summary>Has it decode values.</summary>
    /// <returns>Each value as text, and as its encoder writes it; values of its own follow.</returns>
    internal List<(string Text, byte[] Bytes)> Decode(IEnumerable<byte[]> values)
    {
        string file = Path.GetTempFileName();
        try
        {
            using (FileStream stream = File.Create(file))
            {
                byte[] length = new byte[4];
                foreach (byte[] value in values)
                {
                    BinaryPrimitives.WriteInt32BigEndian(length, value.Length);
                    stream.Write(length);
                    stream.Write(value);
                }
            }

            (int exitCode, string said, string errors) = Start(_program, [_script, file], _nodeModules);
            Assert.True(exitCode == 0, errors);
            return [.. said.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Split('\t')).Select(static parts => (parts[0], Convert.FromHexString(parts[1].Trim())))];
        }
        finally
        {
            File.Delete(file);
        }
    }

    /// <summary>Has another of its programs read a file.</summary>
    /// <returns>The lines that it says.</returns>
    internal string[] Run(string script, string file)
    {
        (int exitCode, string said, string errors) = Start(_program, [Path.Combine(Path.GetDirectoryName(_script)!, script), file], _nodeModules);
        Assert.True(exitCode == 0, errors);
        return said.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private static string? NodeModules()
    {
        for (DirectoryInfo? at = new(AppContext.BaseDirectory); at is not null; at = at.Parent)
        {
            string modules = Path.Combine(at.FullName, "artifacts", "foreign", "node_modules");
            if (Directory.Exists(Path.Combine(modules, NodePackage)))
            {
                return modules;
            }
        }

        return null;
    }

    private static (int ExitCode, string Said, string Errors) Start(string program, string[] arguments, string? nodeModules)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["NODE_PATH"] = nodeModules ?? "";
        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, said, errors.Result);
    }
}
