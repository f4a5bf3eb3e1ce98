namespace Pile.Tidy.Source;

/// <summary>One place that breaks a rule, and what to do instead.</summary>
internal sealed record Violation(string Rule, string Path, int Line, string Message)
{
    public override string ToString() => $"{Path}({Line}): {Rule}: {Message}";
}
