using System.Runtime.CompilerServices;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>The plans that every case runs for. Generated plans join here, with the name that <c>PlanMode</c> gives them.</summary>
public sealed class CasePlans : TheoryData<string>
{
    /// <summary>Their names. Without dynamic code the compiled plan is asked for too, and reflection takes its place.</summary>
    internal static readonly string[] Names = RuntimeFeature.IsDynamicCodeSupported ? ["Reflection", "Emitted"] : ["Emitted"];

    public CasePlans() => AddRange(Names);
}
