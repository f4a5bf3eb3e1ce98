using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using Pile.Codecs;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Which types of the cases the generator writes code for, and that a pile runs it: else the cases would pass for "generated" by
/// other plans.</summary>
public sealed class GeneratedPlanTests
{
    private const string IsGeneric = "generic: a generic type has no module initializer";
    private const string HasForeignBase = "the private fields of its base are another assembly's";
    private const string IsRefused = "what it holds is refused, by the compiler too once it is marked";
    private const string IsNotByFields = "not kept by its fields";

    /// <summary>Types without generated code, each with the reason.</summary>
    private static readonly Dictionary<string, string> _without = new()
    {
        ["Twin`2"] = IsGeneric,
        ["Box`1"] = IsGeneric,
        ["NamedMap"] = HasForeignBase,
        ["NamedSet"] = HasForeignBase,
        ["NamedCollection"] = HasForeignBase,
        ["Keyed"] = HasForeignBase,
        ["CalledList"] = HasForeignBase,
        ["CalledSet"] = HasForeignBase,
        ["CalledMap"] = HasForeignBase,
        ["CalledTree"] = HasForeignBase,
        ["CalledQueue"] = HasForeignBase,
        ["Dropping"] = HasForeignBase,
        ["Knowing"] = HasForeignBase,
        ["Derived"] = HasForeignBase,
        ["Own"] = HasForeignBase,
        ["OwnSet"] = HasForeignBase,
        ["CustomException"] = HasForeignBase,
        ["DeepException"] = HasForeignBase,
        ["Data"] = HasForeignBase,
        ["Line"] = IsRefused,
        ["Source"] = IsRefused,
        ["PointerHolder"] = IsRefused,
        ["Protocol"] = IsNotByFields,
        ["FourInts"] = IsNotByFields,
        ["ThreeTexts"] = IsNotByFields,
        ["Union"] = IsNotByFields,
    };

    [Fact]
    public void EveryTypeOfTheCasesHasAGeneratedPlanOrAReasonWhyNot()
    {
        Type[] types = [.. typeof(WireCases).Assembly.GetTypes().Where(IsOfTheCases), typeof(FixedBufferSample)];

        string[] without = [.. types.Where(static type => !IsGenerated(type)).Select(static type => type.Name)];

        Assert.Equal(_without.Keys.Order(StringComparer.Ordinal), without.Order(StringComparer.Ordinal));
        Assert.InRange(types.Length - without.Length, 45, int.MaxValue);
    }

    [Theory]
    [InlineData("Auto", 1)]
    [InlineData("Generated", 1)]
    [InlineData("Emitted", 0)]
    [InlineData("Reflection", 0)]
    public void ARegisteredPlanIsRunWhereItIsAskedFor(string plan, int calls)
    {
        PileFieldPlan.Register<Probe>(
            [nameof(Probe.Number)],
            static (PileFieldWriter writer, PileFieldFormatters _, ref Probe probe) =>
            {
                Probe.Writes++;
                writer.Write(probe.Number);
            },
            static (ref PileFieldReader reader, PileFieldFormatters _, ref Probe probe) =>
            {
                Probe.Reads++;
                probe.Number = reader.ReadInt32();
            });
        GraphStore store = new(null, Enum.Parse<PlanMode>(plan));
        (Probe.Writes, Probe.Reads) = (0, 0);

        Probe got = store.Read<Probe>(store.Write(new Probe { Number = 5 }));

        Assert.Equal((5, calls, calls), (got.Number, Probe.Writes, Probe.Reads));
    }

    [Theory]
    [InlineData(1, typeof(InvalidOperationException))]
    [InlineData(-1, typeof(ArgumentOutOfRangeException))]
    [InlineData(int.MaxValue, typeof(ArgumentOutOfRangeException))]
    public void ARunThatIsBegunForFewerValuesThanItGetsIsRefused(int fields, Type refusal)
    {
        // By hand: the generator counts. What is public must not store behind its room whoever calls it.
        PileFieldPlan.Register<Miscounted>(
            [nameof(Miscounted.First), nameof(Miscounted.Second)],
            (PileFieldWriter writer, PileFieldFormatters _, ref Miscounted item) =>
            {
                PileFieldRun run = writer.Begin(Miscounted.Fields);
                run.Write(item.First);
                run.Write(item.Second);
                writer.End(run);
            },
            static (ref PileFieldReader reader, PileFieldFormatters _, ref Miscounted item) => item.First = item.Second = reader.ReadInt32());
        Miscounted.Fields = fields;
        GraphStore store = new(null, PlanMode.Generated);

        Assert.Throws(refusal, () => store.Write(new Miscounted { First = 1, Second = 2 }));
    }

    private static bool IsOfTheCases(Type type) =>
        type.Namespace == typeof(WireCases).Namespace && type is { IsNested: true, IsEnum: false, IsInterface: false } && type != typeof(Probe) && type != typeof(Miscounted)
        && !(type.IsAbstract && type.IsSealed) && !typeof(Delegate).IsAssignableFrom(type)
        && !IsMadeByACompiler(type);

    private static bool IsMadeByACompiler(Type? type) =>
        type is not null && (type.IsDefined(typeof(CompilerGeneratedAttribute)) || type.IsDefined(typeof(System.CodeDom.Compiler.GeneratedCodeAttribute)) || IsMadeByACompiler(type.DeclaringType));

    private static bool IsGenerated(Type type) => !type.ContainsGenericParameters
        && typeof(GeneratedFields<>).MakeGenericType(type).GetMethod("For", BindingFlags.Static | BindingFlags.NonPublic)!.Invoke(null, [TypeFields.Of(type)]) is not null;

    internal sealed class Probe
    {
        [ThreadStatic]
        internal static int Writes;

        [ThreadStatic]
        internal static int Reads;

        public int Number;
    }

    internal sealed class Miscounted
    {
        [ThreadStatic]
        internal static int Fields;

        public int First;

        public int Second;
    }
}
