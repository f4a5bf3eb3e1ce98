// A diagnostic before it has a compilation to point into: kept as values between runs of the generator.
// Reported by PileObjectGenerator.
using System;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Pile.Generators;

/// <summary>One diagnostic to report.</summary>
internal sealed class Problem(DiagnosticDescriptor descriptor, FileLinePositionSpan lines, TextSpan span, string[] arguments) : IEquatable<Problem>
{
    private readonly DiagnosticDescriptor _descriptor = descriptor;
    private readonly FileLinePositionSpan _lines = lines;
    private readonly TextSpan _span = span;
    private readonly string[] _arguments = arguments;

    public bool Equals(Problem? other) => other is not null && _descriptor.Equals(other._descriptor)
        && _lines.Equals(other._lines) && _span.Equals(other._span) && _arguments.SequenceEqual(other._arguments, StringComparer.Ordinal);

    public override bool Equals(object? obj) => Equals(obj as Problem);

    public override int GetHashCode() => _span.GetHashCode();

    internal static Problem At(ISymbol symbol, DiagnosticDescriptor descriptor, params string[] arguments)
    {
        Location location = symbol.Locations.FirstOrDefault(at => at.IsInSource) ?? Location.None;
        return new Problem(descriptor, location.GetLineSpan(), location.SourceSpan, arguments);
    }

    internal Diagnostic ToDiagnostic()
    {
        object[] arguments = [.. _arguments];
        return Diagnostic.Create(_descriptor, _lines.IsValid ? Location.Create(_lines.Path, _span, _lines.Span) : Location.None, arguments);
    }
}
