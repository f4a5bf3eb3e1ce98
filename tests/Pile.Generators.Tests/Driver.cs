using System;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Xunit;

namespace Pile.Generators.Tests;

/// <summary>The generator and the analyzer, run over source in a string.</summary>
internal static class Driver
{
    private static readonly MetadataReference[] _references =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Select(path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>The lines "id: message" of what the generator says; what it generates compiles.</summary>
    internal static string[] Diagnose(string source) => Diagnose(source, out _);

    /// <inheritdoc cref="Diagnose(string)"/>
    internal static string[] Diagnose(string source, out string[] generated) =>
        [.. Run(source, out generated).Select(static found => $"{found.Id}: {found.GetMessage(System.Globalization.CultureInfo.InvariantCulture)}").Order(StringComparer.Ordinal)];

    /// <summary>The lines "severity id" of what the generator says.</summary>
    internal static string[] Severities(string source) => [.. Run(source, out _).Select(static found => $"{found.Severity} {found.Id}").Order(StringComparer.Ordinal)];

    /// <summary>The generated sources.</summary>
    internal static string[] Generate(string source)
    {
        Assert.Empty(Diagnose(source, out string[] generated));
        return generated;
    }

    /// <summary>The lines "id: code" of what the analyzer finds in the body of a method that has a pile and a pointer.</summary>
    internal static async Task<string[]> AnalyzeAsync(string body)
    {
        CSharpCompilation compilation = Compile($"using Pile; class C {{ static void Take(PileLease lease) {{ }} static void M(ObjectPile pile, PilePointer pointer) {{ {body} }} }}");
        Assert.Empty(compilation.GetDiagnostics(TestContext.Current.CancellationToken).Where(found => found.Severity == DiagnosticSeverity.Error));
        ImmutableArray<Diagnostic> found = await compilation.WithAnalyzers([new LeaseAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
        return [.. found.Select(diagnostic => $"{diagnostic.Id}: {diagnostic.Location.SourceTree!.GetText().ToString(diagnostic.Location.SourceSpan)}")];
    }

    private static ImmutableArray<Diagnostic> Run(string source, out string[] generated)
    {
        GeneratorDriver driver = CSharpGeneratorDriver.Create(new PileObjectGenerator());
        driver = driver.RunGeneratorsAndUpdateCompilation(Compile(source), out Compilation after, out _, TestContext.Current.CancellationToken);
        GeneratorRunResult result = Assert.Single(driver.GetRunResult().Results);
        Assert.Null(result.Exception);
        Assert.Empty(after.GetDiagnostics(TestContext.Current.CancellationToken).Where(found => found.Severity == DiagnosticSeverity.Error));
        generated = [.. result.GeneratedSources.Select(made => made.SourceText.ToString())];
        return result.Diagnostics;
    }

    private static CSharpCompilation Compile(string source) => CSharpCompilation.Create(
        "Tested",
        [CSharpSyntaxTree.ParseText(source)],
        _references,
        new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
}
