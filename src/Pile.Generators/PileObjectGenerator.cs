// Generates the access to the fields of types marked [PileObject], and of partial ones marked [DataContract].
// Only syntax with those attributes is looked at; models are compared by value, so that typing elsewhere costs nothing.
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pile.Generators;

/// <summary>The generator.</summary>
[Generator(LanguageNames.CSharp)]
public sealed class PileObjectGenerator : IIncrementalGenerator
{
    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        context.RegisterSourceOutput(Marked(context, Marks.PileObject, isAsked: true), Output);
        context.RegisterSourceOutput(Marked(context, Marks.DataContract, isAsked: false), Output);
    }

    private static IncrementalValuesProvider<PlanModel> Marked(IncrementalGeneratorInitializationContext context, string attribute, bool isAsked) =>
        context.SyntaxProvider.ForAttributeWithMetadataName(
                attribute,
                static (node, _) => node is TypeDeclarationSyntax,
                (marked, _) => ModelOf((INamedTypeSymbol)marked.TargetSymbol, marked.SemanticModel.Compilation, isAsked))
            .Where(static model => model is not null)!;

    private static PlanModel? ModelOf(INamedTypeSymbol type, Compilation compilation, bool isAsked)
    {
        bool hasBoth = !isAsked && Marks.IsPileObject(type);
        return hasBoth || compilation.GetTypeByMetadataName("Pile.PileFieldPlan") is null ? null : PlanReader.Read(type, compilation, isAsked);
    }

    private static void Output(SourceProductionContext context, PlanModel model)
    {
        foreach (Problem problem in model.Problems)
        {
            context.ReportDiagnostic(problem.ToDiagnostic());
        }

        if (model.Source is { } source)
        {
            context.AddSource(model.HintName, source);
        }
    }
}
