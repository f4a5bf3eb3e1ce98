using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using Pile.Tidy.Source;

namespace Pile.Tidy.PublicApi;

/// <summary>The assemblies that src builds; they lie beside this test assembly because it references every project of src.</summary>
internal static class SourceAssemblies
{
    // What the compiler loads: it has no surface of its own and travels in the package of Pile.
    private const string Generators = "Pile.Generators";

    /// <summary>The names of the projects of src that are there and that programs reference.</summary>
    public static IReadOnlyList<string> Names { get; } =
    [
        .. Repository.Files
            .Where(path => path.StartsWith("src/", StringComparison.Ordinal) && path.EndsWith(".csproj", StringComparison.Ordinal))
            .Select(path => Path.GetFileNameWithoutExtension(path)!)
            .Where(name => name != Generators),
    ];

    public static string PathOf(string name) => Path.Combine(AppContext.BaseDirectory, name + ".dll");

    public static Assembly Load(string name) => Assembly.LoadFrom(PathOf(name));
}
