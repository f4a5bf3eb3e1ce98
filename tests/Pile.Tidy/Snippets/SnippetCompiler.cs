using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.PublicApi;

namespace Pile.Tidy.Snippets;

/// <summary>Compiles a snippet as a reader's console project would: the usual implicit usings, the framework, the host's packages, ASP.NET Core, MessagePack-CSharp, and our assemblies.</summary>
internal static class SnippetCompiler
{
    private static readonly string[] _implicitUsings =
        ["System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading", "System.Threading.Tasks"];

    private static readonly CSharpParseOptions _parse = new(LanguageVersion.Preview);

    private static readonly SyntaxTree _usings = CSharpSyntaxTree.ParseText(
        string.Concat(_implicitUsings.Select(name => $"global using {name};\n")), _parse);

    /// <summary>How the names of assemblies begin that a reader may have beside the framework and ours.</summary>
    private static readonly string[] _others = ["Microsoft.Extensions.", "Microsoft.AspNetCore.", "MessagePack"];

    private static readonly MetadataReference[] _references = [.. FindReferences()];

    /// <summary>Returns the assembly, or null and the compiler's errors, each with the line of the document.</summary>
    public static Assembly? Compile(Snippet snippet, out IReadOnlyList<string> errors)
    {
        SyntaxTree tree = CSharpSyntaxTree.ParseText(snippet.Code, _parse);
        bool isProgram = tree.GetCompilationUnitRoot().Members.OfType<GlobalStatementSyntax>().Any();
        CSharpCompilationOptions options = new(isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable);
        CSharpCompilation compilation = CSharpCompilation.Create($"Snippet.{Guid.NewGuid():N}", [_usings, tree], _references, options);
        using MemoryStream image = new();
        errors =
        [
            .. compilation.Emit(image).Diagnostics
                .Where(found => found.Severity == DiagnosticSeverity.Error)
                .Select(found => $"{snippet.Path}({snippet.Line + found.Location.GetLineSpan().StartLinePosition.Line}): {found.Id}: {found.GetMessage(null)}"),
        ];
        return errors.Count == 0 ? Assembly.Load(image.ToArray()) : null;
    }

    private static IEnumerable<MetadataReference> FindReferences()
    {
        string trusted = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!;
        string framework = RuntimeEnvironment.GetRuntimeDirectory();
        return trusted.Split(Path.PathSeparator)
            .Where(path => path.StartsWith(framework, StringComparison.Ordinal)
                || _others.Any(name => Path.GetFileName(path).StartsWith(name, StringComparison.Ordinal)))
            .Concat(SourceAssemblies.Names.Select(SourceAssemblies.PathOf))
            .Select(path => MetadataReference.CreateFromFile(path));
    }
}
