// Finds leases and pins that nobody ends: an open one holds back the memory that was freed behind it, and Dispose of its pile.
// It looks at one method: what is handed on is its receiver's business.
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Pile.Generators;

/// <summary>Reports leases and pins outside <c>using</c>.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class LeaseAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Diagnostics.HoldOutsideUsing];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSyntaxNodeAction(Check, SyntaxKind.InvocationExpression);
        context.RegisterSyntaxNodeAction(CheckOut, SyntaxKind.Argument);
    }

    private static void Check(SyntaxNodeAnalysisContext context)
    {
        var call = (InvocationExpressionSyntax)context.Node;
        bool isDropped = call.Parent is ExpressionStatementSyntax
            || (call.Parent is AssignmentExpressionSyntax { Left: IdentifierNameSyntax { Identifier.ValueText: "_" } } discard && discard.Parent is ExpressionStatementSyntax)
            || IsLocalThatNobodyEnds(call)
            || call.Parent is MemberAccessExpressionSyntax { Name.Identifier.ValueText: not "Dispose" };
        if (isDropped)
        {
            ReportHold(context, call, call);
        }
    }

    /// <summary>What TryLease or TryPin gives: dropped, or declared in the call and never ended.</summary>
    private static void CheckOut(SyntaxNodeAnalysisContext context)
    {
        var argument = (ArgumentSyntax)context.Node;
        bool isDropped = argument.RefKindKeyword.IsKind(SyntaxKind.OutKeyword) && argument.Expression switch
        {
            IdentifierNameSyntax { Identifier.ValueText: "_" } => context.SemanticModel.GetSymbolInfo(argument.Expression, context.CancellationToken).Symbol is IDiscardSymbol,
            DeclarationExpressionSyntax { Designation: DiscardDesignationSyntax } => true,
            DeclarationExpressionSyntax { Designation: SingleVariableDesignationSyntax variable } => !IsEnded(variable.Identifier.ValueText, argument),
            _ => false,
        };
        if (isDropped)
        {
            ReportHold(context, argument.Expression, argument);
        }
    }

    private static void ReportHold(SyntaxNodeAnalysisContext context, ExpressionSyntax dropped, SyntaxNode at)
    {
        if (context.SemanticModel.GetTypeInfo(dropped, context.CancellationToken).Type is { Name: "PileLease" or "PilePin", ContainingNamespace: { Name: "Pile", ContainingNamespace.IsGlobalNamespace: true } } type)
        {
            context.ReportDiagnostic(Diagnostic.Create(Diagnostics.HoldOutsideUsing, at.GetLocation(), type.Name == "PileLease" ? "lease" : "pin", type.Name));
        }
    }

    private static bool IsLocalThatNobodyEnds(InvocationExpressionSyntax call)
    {
        if (call.Parent is not EqualsValueClauseSyntax { Parent: VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax { Parent: LocalDeclarationStatementSyntax local } } variable }
            || local.UsingKeyword.IsKind(SyntaxKind.UsingKeyword))
        {
            return false;
        }

        return !IsEnded(variable.Identifier.ValueText, local);
    }

    /// <summary>Whether a local is ended by hand, or handed on: any use but reading a member of it.</summary>
    private static bool IsEnded(string name, SyntaxNode at)
    {
        SyntaxNode scope = at.Ancestors().First(node => node is MemberDeclarationSyntax or LocalFunctionStatementSyntax or AnonymousFunctionExpressionSyntax or CompilationUnitSyntax);
        return scope.DescendantNodes().OfType<IdentifierNameSyntax>().Any(use => use.Identifier.ValueText == name
            && !(use.Parent is MemberAccessExpressionSyntax access && access.Expression == use && access.Name.Identifier.ValueText != "Dispose"));
    }
}
