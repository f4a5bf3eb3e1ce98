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
        // In process: BenchmarkDotNet 0.14 knows net10.0 only as the runtime it runs on, and this way builds no project of its own.
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
