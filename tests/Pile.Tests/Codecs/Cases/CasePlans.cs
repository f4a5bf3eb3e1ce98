using System.Runtime.CompilerServices;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>The plans that every case runs for, named as in <c>PlanMode</c>. <see cref="GeneratedPlanTests"/> holds which types of the cases
/// have a generated one.</summary>
public sealed class CasePlans : TheoryData<string>
{
    /// <summary>Their names. Without dynamic code the compiled plan is asked for too, and reflection takes its place.</summary>
    internal static readonly string[] Names = RuntimeFeature.IsDynamicCodeSupported ? ["Reflection", "Emitted", "Generated"] : ["Emitted", "Generated"];

    public CasePlans() => AddRange(Names);
}
