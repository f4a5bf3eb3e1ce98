using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.PublicApi;

/// <summary>The public surface changes only on purpose: each assembly of src has a baseline beside this file.</summary>
public sealed class PublicApiTests
{
    private const string AcceptVariable = "PILE_ACCEPT_API";

    public static TheoryData<string> Assemblies => [.. SourceAssemblies.Names];

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void ThePublicSurfaceIsTheBaseline(string assembly)
    {
        string baseline = Repository.FullPath($"tests/Pile.Tidy/PublicApi/{assembly}.txt");
        IReadOnlyList<string> actual = ApiSurface.Lines(SourceAssemblies.Load(assembly));
        if (Environment.GetEnvironmentVariable(AcceptVariable) == "1")
        {
            Write(baseline, actual);
        }
        string[] expected = File.Exists(baseline) ? File.ReadAllLines(baseline) : [];
        string[] differences = [.. Differences(expected, actual)];
        if (differences.Length > 0)
        {
            Write(Repository.FullPath($"artifacts/PublicApi/{assembly}.txt"), actual);
        }

        Assert.True(differences.Length == 0, $"""
            The public surface of {assembly} is not its baseline (all of it: artifacts/PublicApi/{assembly}.txt).
            {string.Join('\n', differences.Take(40))}
            When this is on purpose: {AcceptVariable}=1 dotnet test tests/Pile.Tidy -c Release --filter PublicApi
            """);
    }

    [Fact]
    public void BaselinesOfNoAssemblyAreReported()
    {
        IEnumerable<string> baselines = Repository.Files
            .Where(path => path.StartsWith("tests/Pile.Tidy/PublicApi/", StringComparison.Ordinal) && path.EndsWith(".txt", StringComparison.Ordinal))
            .Select(path => Path.GetFileNameWithoutExtension(path)!);

        Assert.Empty(baselines.Except(SourceAssemblies.Names));
    }

    [Fact]
    public void AChangedMemberIsReportedOnBothSides()
    {
        Assert.Equal(["- A: int X()", "+ A: long X()"], Differences(["A: int X()", "B"], ["A: long X()", "B"]));
    }

    [Fact]
    public void TheSurfaceOfASampleIsWrittenInFull()
    {
        string name = $"Pile.Tidy.PublicApi.{nameof(PublicApiTests)}.{nameof(Sample<>)}<T>";
        string[] expected =
        [
            $"{name}: protected Sample(int first)",
            $"{name}: protected abstract void Change(scoped ReadOnlySpan<byte> bytes, ref int total, params int[] rest)",
            $"{name}: public abstract class : IDisposable where T : unmanaged, IEquatable<T>",
            $"{name}: public const int Answer = 42",
            $"{name}: public string? Name {{ get; protected set; }}",
            $"{name}: public TOther Get<TOther>(in T key, [MaybeNullWhen] out List<string?>? found, bool flag = true) where TOther : notnull, allows ref struct",
            $"{name}: public virtual void Dispose()",
            $"{name}: public TAny Pass<TAny>(TAny value, out TAny? other)",
        ];

        Assert.Equal(expected.Order(StringComparer.Ordinal), ApiSurface.Lines(typeof(Sample<>)).Order(StringComparer.Ordinal));
    }

    private static IEnumerable<string> Differences(IEnumerable<string> expected, IEnumerable<string> actual) =>
        expected.Except(actual).Select(line => "- " + line).Concat(actual.Except(expected).Select(line => "+ " + line));

    private static void Write(string path, IEnumerable<string> lines)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, string.Concat(lines.Select(line => line + "\n")));
    }

    public abstract class Sample<T> : IDisposable
        where T : unmanaged, IEquatable<T>
    {
        public const int Answer = 42;

        protected Sample(int first) => Name = first == 0 ? null : "";

        public string? Name { get; protected set; }

        public virtual void Dispose() => GC.SuppressFinalize(this);

        public TOther Get<TOther>(in T key, [System.Diagnostics.CodeAnalysis.MaybeNullWhen(false)] out List<string?>? found, bool flag = true)
            where TOther : notnull, allows ref struct
        {
            found = flag && key.Equals(default) ? [Name] : null;
            return default!;
        }

        public TAny Pass<TAny>(TAny value, out TAny? other)
        {
            other = default;
            return value;
        }

        protected abstract void Change(scoped ReadOnlySpan<byte> bytes, ref int total, params int[] rest);
    }
}
