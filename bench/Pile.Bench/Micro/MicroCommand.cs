using System.Reflection;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Pile.Bench.Micro;

/// <summary>The face <c>bdn</c>: BenchmarkDotNet over the classes of this folder.</summary>
internal static class MicroCommand
{
    internal static int Run(string[] args)
    {
        // In process: BenchmarkDotNet 0.14 has no name for net10.0 and would have to build a project of its own for it.
        IConfig config = ManualConfig.CreateEmpty()
            .AddJob(Job.ShortRun.WithToolchain(InProcessEmitToolchain.Instance).WithIterationCount(7))
            .AddDiagnoser(MemoryDiagnoser.Default)
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddLogger(ConsoleLogger.Default)
            .AddExporter(BenchmarkDotNet.Exporters.MarkdownExporter.GitHub);
        string[] all = args.Length == 0 ? ["--filter", "*"] : args[0].StartsWith('-') ? args : ["--filter", .. args];
        BenchmarkSwitcher.FromAssembly(Assembly.GetExecutingAssembly()).Run(all, config);
        return 0;
    }
}
