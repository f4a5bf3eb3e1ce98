// A diagnostic before it has a compilation to point into: kept as values between runs of the generator.
// Reported by PileObjectGenerator.
using System;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Pile.Generators;

/// <summary>One diagnostic to report.</summary>
internal sealed class Problem(DiagnosticDescriptor descriptor, DiagnosticSeverity severity, FileLinePositionSpan lines, TextSpan span, string[] arguments) : IEquatable<Problem>
{
    private readonly DiagnosticDescriptor _descriptor = descriptor;
    private readonly DiagnosticSeverity _severity = severity;
    private readonly FileLinePositionSpan _lines = lines;
    private readonly TextSpan _span = span;
    private readonly string[] _arguments = arguments;

    public bool Equals(Problem? other) => other is not null && _descriptor.Equals(other._descriptor) && _severity == other._severity
        && _lines.Equals(other._lines) && _span.Equals(other._span) && _arguments.SequenceEqual(other._arguments, StringComparer.Ordinal);

    public override bool Equals(object? obj) => Equals(obj as Problem);

    public override int GetHashCode() => _span.GetHashCode();

    /// <summary>A problem at a symbol, as severe as its descriptor says, or only a warning: of a type that asks for nothing.</summary>
    internal static Problem At(ISymbol symbol, DiagnosticDescriptor descriptor, bool isAsked, params string[] arguments)
    {
        DiagnosticSeverity severity = descriptor.DefaultSeverity == DiagnosticSeverity.Error && !isAsked ? DiagnosticSeverity.Warning : descriptor.DefaultSeverity;
        Location location = symbol.Locations.FirstOrDefault(at => at.IsInSource) ?? Location.None;
        return new Problem(descriptor, severity, location.GetLineSpan(), location.SourceSpan, arguments);
    }

    internal Diagnostic ToDiagnostic()
    {
        object[] arguments = [.. _arguments];
        Location location = _lines.IsValid ? Location.Create(_lines.Path, _span, _lines.Span) : Location.None;
        return Diagnostic.Create(_descriptor, location, _severity, additionalLocations: null, properties: null, messageArgs: arguments);
    }
}
