// Finds leases that nobody ends: an open lease holds back the memory that was freed behind it, and Dispose of its pile.
// It looks at one method: a lease that is handed on is its receiver's business.
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Pile.Generators;

/// <summary>Reports leases outside <c>using</c>.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class LeaseAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Diagnostics.LeaseOutsideUsing];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSyntaxNodeAction(Check, SyntaxKind.InvocationExpression);
    }

    private static void Check(SyntaxNodeAnalysisContext context)
    {
        var call = (InvocationExpressionSyntax)context.Node;
        bool isDropped = call.Parent is ExpressionStatementSyntax
            || (call.Parent is AssignmentExpressionSyntax { Left: IdentifierNameSyntax { Identifier.ValueText: "_" } } discard && discard.Parent is ExpressionStatementSyntax)
            || IsLocalThatNobodyEnds(call)
            || call.Parent is MemberAccessExpressionSyntax { Name.Identifier.ValueText: not "Dispose" };
        if (isDropped && context.SemanticModel.GetTypeInfo(call, context.CancellationToken).Type?.ToDisplayString() == "Pile.PileLease")
        {
            context.ReportDiagnostic(Diagnostic.Create(Diagnostics.LeaseOutsideUsing, call.GetLocation()));
        }
    }

    private static bool IsLocalThatNobodyEnds(InvocationExpressionSyntax call)
    {
        if (call.Parent is not EqualsValueClauseSyntax { Parent: VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax { Parent: LocalDeclarationStatementSyntax local } } variable }
            || local.UsingKeyword.IsKind(SyntaxKind.UsingKeyword))
        {
            return false;
        }

        SyntaxNode scope = local.Ancestors().First(node => node is MemberDeclarationSyntax or LocalFunctionStatementSyntax or AnonymousFunctionExpressionSyntax or CompilationUnitSyntax);
        string name = variable.Identifier.ValueText;

        // Ended by hand, or handed on: any use but reading a member of it.
        return !scope.DescendantNodes().OfType<IdentifierNameSyntax>().Any(use => use.Identifier.ValueText == name
            && !(use.Parent is MemberAccessExpressionSyntax access && access.Expression == use && access.Name.Identifier.ValueText != "Dispose"));
    }
}
